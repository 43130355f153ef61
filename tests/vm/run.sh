#!/usr/bin/env bash
# The vm suite: boots a Debian kernel under software emulation, records in it with the recorder built here, and checks
# what comes home.
#   tests/vm/run.sh [KERNEL [TOPOLOGY]]     default: 6.1 smt2
# See README.md.  Exits 77 with a reason where it cannot run at all.
set -u
cd "$(dirname "$0")/../.."
. tests/packages.sh
kernel=${1:-6.1} topology=${2:-smt2}
tries=3 seconds=200

skip() { echo "SKIP: $1"; exit 77; }
nodes() { # CPUs of each…
	local n=0 cpus
	for cpus; do
		echo "-object memory-backend-ram,id=m$n,size=1G -numa node,cpus=$cpus,memdev=m$n"
		((++n))
	done
}
# Arguments of the emulator, and what the machine snapshot must say: CPUs, nodes, last-level caches, SMT.
case $topology in
smt2) machine="-smp 8,sockets=2,cores=2,threads=2 $(nodes 0-3 4-7)" expect=(8 2 2 1) ;;
quad) machine='-smp 4,sockets=1,cores=4,threads=1' expect=(4 1 1 0) ;;
caches4) machine='-smp 8,sockets=4,cores=2,threads=1' expect=(8 1 4 0) ;;
*) echo "usage: $0 [KERNEL [smt2|quad|caches4]]" >&2; exit 2 ;;
esac

[ "$(uname -m)" = x86_64 ] || skip "the guest runs programs of this machine, and is x86_64"
need_packages "${BUILD_PACKAGES[@]}" "${VM_PACKAGES[@]}" || skip "packages cannot be installed"
mkdir -p build/vm
if [ -d "$kernel" ]; then
	folder=$kernel
else
	folder=$(tests/vm/kernel.sh build/vm/kernels "$kernel") || {
		[ $? -eq 77 ] && skip "no kernel $kernel"
		exit 1
	}
fi

build=build/release
if ! { [ -f $build/build.ninja ] || meson setup $build --buildtype=release; } >build/vm/build.log 2>&1 ||
	! ninja -C $build src/cli/rewake >>build/vm/build.log 2>&1 ||
	! gcc -O2 -Wall -Wextra -Werror tests/vm/load.c -o build/vm/load >>build/vm/build.log 2>&1; then
	tail -20 build/vm/build.log
	echo "FAIL: does not build"
	exit 1
fi

# The emulator itself sometimes loses a guest while its kernel patches its own code, whoever asked for that.
out=build/vm/$(basename "$kernel")-$topology
for ((try = 1; ; try++)); do
	# shellcheck disable=SC2086 # several arguments
	tests/vm/boot.sh "$folder" "$out" $seconds $build/src/cli/rewake build/vm/load \
		"$(command -v trace-cmd)" -- $machine && break
	echo "the guest did not finish: $(grep '^vm: ' "$out/console" | tail -1)"
	grep -m 3 -E 'panic|BUG|Oops|lockup' "$out/console"
	if ((try == tries)); then
		tail -20 "$out/console"
		echo "FAIL: no guest finished in $tries tries; $out/console"
		exit 1
	fi
done
echo "kernel $(cat "$out/home/release"), $topology, try $try"
tests/vm/check.sh $build/src/cli/rewake "$out/home" "${expect[@]}"
