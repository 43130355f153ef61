#!/usr/bin/env bash
# Fetches Debian's cloud kernel of a version and unpacks it without installing it; prints the folder.
#   tests/vm/kernel.sh DIR VERSION      e.g. 6.1, 6.12; 5.10 and later kernels come from other Debian suites
# The suites of the machine's own sources are asked first.  Exits 77 where there is none to be had.
set -eu
mkdir -p "$1"
dir=$(realpath "$1") version=$2
folder=$dir/$version
[ ! -e "$folder/complete" ] || { echo "$folder"; exit; }
absent() { echo "kernel.sh: $1" >&2; exit 77; }
case $version in '' | *[!0-9.]*) echo "kernel.sh: $version: no version" >&2; exit 2 ;; esac
command -v apt-get >/dev/null || absent "no apt"

# A package list of one's own, so that nothing of the machine's changes.
apt_options=()
own_lists() {
	local uri suite
	uri=$(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null |
		sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb (\[[^]]*\] )?([^ ]+).*/\2/p' | head -1)
	[ -n "$uri" ] || return 1
	mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial"
	for suite in bullseye bookworm trixie trixie-backports sid; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main"
	done >"$dir/apt/sources.list"
	apt_options=(-o "Dir::Etc::sourcelist=$dir/apt/sources.list" -o Dir::Etc::sourceparts=-
		-o "Dir::State::lists=$dir/apt/lists" -o "Dir::Cache=$dir/apt/cache")
	apt-get "${apt_options[@]}" update -qq >&2 || return 1
}
newest() {
	apt-cache "${apt_options[@]}" search --names-only "^linux-image-${version//./\\.}[.-][^ ]*cloud-amd64$" |
		sed -nE 's/^([^ ]+) .*/\1/p' | grep -v unsigned | sort -V | tail -1
}

# Modules and image may be packages of their own.
unpack() { # folder
	local package
	rm -rf "$1" "$1.deb"
	mkdir -p "$1" "$1.deb"
	cd "$1.deb"
	for package in "$image" $(apt-cache "${apt_options[@]}" depends "$image" |
		sed -nE 's/^ *\|?Depends: (linux-(binary|modules|base)-[0-9].*)/\1/p'); do
		apt-get "${apt_options[@]}" -o APT::Sandbox::User=root download -qq "$package" >&2 || return 1
	done
	for package in *.deb; do dpkg -x "$package" "$1" || return 1; done
	cd "$dir"
	rm -rf "$1.deb"
}

image=$(newest)
if [ -z "$image" ] || ! (unpack "$folder"); then
	own_lists || absent "no package lists: no network?"
	image=$(newest)
	[ -n "$image" ] || absent "no cloud kernel $version in Debian's suites"
	(unpack "$folder") || absent "cannot fetch $image"
fi
touch "$folder/complete"
echo "$folder"
