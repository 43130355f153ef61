# Debian packages that the project needs, and how to get what is missing.  Sourced.
BUILD_PACKAGES=(
	gcc
	libc6-dev
	meson
	ninja-build
	pkg-config
	python3
	libtracefs-dev
	libtraceevent-dev
	libtracecmd-dev
	libbpf-dev
	libarchive-dev
	liblzma-dev
	libsqlite3-dev
	libjansson-dev
	libcmocka-dev
	libzstd-dev
	zlib1g-dev
	libbabeltrace2-dev
	trace-cmd
	scdoc
	libprotobuf-c-dev
	protobuf-c-compiler
	protobuf-compiler
	node-d3
)
TEST_PACKAGES=(
	clang
	libclang-rt-14-dev
	clang-format
	valgrind
	sqlite3
	zstd
	man-db
	mandoc
	graphviz
	chromium
	chromium-driver
	babeltrace2
	jq
)
VM_PACKAGES=(
	qemu-system-x86
	busybox-static
	cpio
	xz-utils
	zstd
)

need_packages() {
	local missing=() p
	for p in "$@"; do
		dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
	done
	[ ${#missing[@]} -eq 0 ] && return
	local sudo=()
	[ "$(id -u)" -eq 0 ] || sudo=(sudo)
	echo "installing: ${missing[*]}" >&2
	"${sudo[@]}" apt-get update -qq >&2
	DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends \
		"${missing[@]}" >&2
}
