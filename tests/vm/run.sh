#!/usr/bin/env bash
# The vm suite: boots a Debian kernel under software emulation, records in it with the recorder built here, and checks
# what comes home.
#   tests/vm/run.sh [KERNEL [TOPOLOGY]]     default: 6.1 smt2
# A check that fails is looked at in a second boot, and counts if it fails there again.  Exits 77 with a reason where it
# cannot run at all, or where the emulator loses its guests.  See README.md.
set -u
cd "$(dirname "$0")/../.."
. tests/packages.sh
kernel=${1:-6.1} topology=${2:-smt2}
seconds=150 # of silence

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

if [ -z "$(find "$folder" -name 'vmlinuz*' | head -1)" ]; then
	echo "FAIL: no kernel in $folder"
	exit 1
fi

build=build/release
if ! { [ -f $build/build.ninja ] || meson setup $build --buildtype=release; } >build/vm/build.log 2>&1 ||
	! ninja -C $build src/cli/rewake >>build/vm/build.log 2>&1 ||
	! gcc -O2 -Wall -Wextra -Werror tests/vm/load.c -o build/vm/load >>build/vm/build.log 2>&1 ||
	! gcc -O2 -Wall -Wextra -Werror -D_GNU_SOURCE tests/vm/awake.c -o build/vm/awake >>build/vm/build.log 2>&1; then
	tail -20 build/vm/build.log
	echo "FAIL: does not build"
	exit 1
fi

# The emulator itself sometimes loses a guest while its kernel patches its own code, whoever asked for that.
boot() { # tries
	local try at
	stuck=
	for ((try = 1; try <= $1; try++)); do
		# shellcheck disable=SC2086 # several arguments
		tests/vm/boot.sh "$folder" "$out" $seconds $build/src/cli/rewake build/vm/load build/vm/awake \
			"$(command -v trace-cmd)" -- $machine && break
		at=$(grep '^vm: ' "$out/console" | tail -1)
		echo "the guest did not finish: $at"
		# One whose kernel says nothing and stands still at the same place each time is told apart.
		if grep -m 3 -E 'panic|BUG|Oops|lockup' "$out/console" || [ -z "$at" ]; then
			stuck="$stuck lost"
		else
			stuck="$stuck ${at// /_}"
		fi
	done
	# shellcheck disable=SC2086 # words
	stuck=$(printf '%s\n' $stuck | sort -u)
	((try <= $1)) && echo "kernel $(cat "$out/home/release"), $topology, try $try"
}

out=build/vm/$(basename "$kernel")-$topology
boot 3 || {
	tail -20 "$out/console"
	# Whether an emulator or what it ran stood still cannot be told from here.
	[[ $stuck == vm:* && $stuck != *$'\n'* ]] && skip "the guest stood still at one place, three times: $stuck; $out/console"
	skip "the emulator lost the guest three times; $out/console"
}
checked=$out.checked
tests/vm/check.sh $build/src/cli/rewake "$out/home" "${expect[@]}" >"$checked" 2>&1
code=$?
if [ $code -eq 0 ]; then
	cat "$checked"
	exit 0
fi

# What a machine that stands still for a while can bring about does not come twice; what is broken does.
echo "these failed, and are looked at in a second boot:"
grep -B 1 '^FAIL' "$checked" | sed 's/^FAIL/once/'
mv "$checked" "$checked.first"
boot 2 || {
	tail -20 "$out/console"
	skip "the emulator lost the guest that was to confirm what failed; $out/console"
}
tests/vm/check.sh $build/src/cli/rewake "$out/home" "${expect[@]}" >"$checked" 2>&1
code=$?
grep '^FAIL' "$checked" | sort >"$checked.second"
if [ $code -ne 0 ] && ! [ -s "$checked.second" ]; then
	cat "$checked"
	echo "FAIL: check.sh ended with $code"
	exit 1
fi
twice=$(grep '^FAIL' "$checked.first" | sort | comm -12 - "$checked.second")
while IFS= read -r line; do
	if [[ $line == FAIL:* ]] && ! grep -qxF "$line" <<<"$twice"; then
		line="once, in the second boot: ${line#FAIL: }"
	fi
	echo "$line"
done <"$checked"
[ -z "$twice" ]
