#!/usr/bin/env bash
# What run.sh makes of guests that finish, fail, hang or are lost, with programs in their places that play them.
#   verdicts.sh SOURCE_ROOT
set -u
root=$1
failed=0
dir=$(mktemp -d) && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir -p tests/vm build/release bin kernel
cp "$root/tests/vm/run.sh" "$root/tests/vm/load.c" tests/vm/
cat >tests/packages.sh <<'EOF'
BUILD_PACKAGES=(none) VM_PACKAGES=(none)
need_packages() { :; }
EOF
touch build/release/build.ninja kernel/vmlinuz
for program in ninja gcc trace-cmd; do
	printf '#!/bin/sh\n' >bin/$program
done
printf '#!/bin/sh\necho x86_64\n' >bin/uname
# Of the n-th boot.
cat >tests/vm/boot.sh <<'EOF'
#!/usr/bin/env bash
n=$(($(cat boots) + 1))
echo $n >boots
mkdir -p "$2/home"
echo 1.2.3 >"$2/home/release"
case $MODE:$n in
lost:* | unconfirmed:[23]) printf 'vm: case one\nKernel panic\n' >"$2/console" ;;
hangs:*) echo 'vm: case one' >"$2/console" ;;
moves:*) echo "vm: case $n" >"$2/console" ;;
silent:*) : >"$2/console" ;;
*) exit 0 ;;
esac
exit 1
EOF
cat >tests/vm/check.sh <<'EOF'
#!/usr/bin/env bash
echo 'ok: first'
n=$(cat boots)
case $MODE:$n in
twice:* | once:1 | unconfirmed:*) printf '  got 1\nFAIL: second\n' ;;
other:*) echo "FAIL: number $n" ;;
crashes:*) exit 3 ;;
*) exit 0 ;;
esac
exit 1
EOF
chmod +x bin/* tests/vm/*.sh

try() { # mode, exit status, boots, line that must be there
	local got
	echo 0 >boots
	MODE=$1 PATH=$dir/bin:$PATH bash tests/vm/run.sh "$dir/kernel" >out 2>&1
	got=$?
	[ "$got" = "$2" ] && [ "$(cat boots)" = "$3" ] && grep -qxE "$4" out && return
	echo "FAIL: $1: exit status $got after $(cat boots) boots, not $2 after $3 with '$4':"
	cat out
	failed=1
}
try fine 0 1 'ok: first'
try once 0 2 'once: second'
try twice 1 2 'FAIL: second'
try other 0 2 'once, in the second boot: number 2'
try crashes 1 2 'FAIL: check.sh ended with 3'
try unconfirmed 77 3 'SKIP: the emulator lost the guest that was to confirm what failed; .*'
try lost 77 3 'SKIP: the emulator lost the guest three times; .*'
try silent 77 3 'SKIP: the emulator lost the guest three times; .*'
try moves 77 3 'SKIP: the emulator lost the guest three times; .*'
try hangs 77 3 'SKIP: the guest stood still at one place, three times: vm:_case_one; .*'
rm kernel/vmlinuz
try 'no kernel' 1 0 'FAIL: no kernel in .*'
exit $failed
