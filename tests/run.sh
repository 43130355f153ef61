#!/usr/bin/env bash
# Installs what is missing, builds with warnings as errors and runs every test suite: with gcc, with clang, and
# under ASan and UBSan.  --all adds valgrind, --vm a recording of a kernel that is booted for it (tests/vm/README.md).
# The last line counts the tests.
set -u
cd "$(dirname "$0")/.."
. tests/packages.sh
all='' vm=''
for option; do
	case $option in
	--all) all=1 ;;
	--vm) vm=1 ;;
	*) echo "usage: $0 [--all] [--vm]" >&2; exit 2 ;;
	esac
done
need_packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}" || exit 1

passed=0 failed=0 skipped=0
count() { # meson's own closing lines of one run
	local log=$1 label=$2 n
	n() { sed -nE "s/^$1: +([0-9]+).*/\1/p" "$log" | tail -1; }
	passed=$((passed + $(n Ok) + 0)) failed=$((failed + $(n Fail) + $(n Timeout) + 0))
	skipped=$((skipped + $(n Skipped) + 0))
	echo "$label: $(n Ok) ok, $(n Fail) failed, $(n Skipped) skipped"
}

suite() { # label, folder, meson setup arguments…
	local label=$1 dir=build/$2 log
	shift 2
	log=$dir.log
	mkdir -p build
	if ! { [ -f "$dir/build.ninja" ] || meson setup "$dir" -Dwerror=true "$@"; } >"$log" 2>&1 ||
		! ninja -C "$dir" >>"$log" 2>&1; then
		grep -E 'error|ERROR|FAILED' "$log" | head -40
		echo "$label: does not build, see $log"
		failed=$((failed + 1))
		return
	fi
	meson test -C "$dir" --print-errorlogs --no-rebuild "${test_args[@]}" >"$log" 2>&1 ||
		sed -n '/FAIL\|^---\|ERROR\|TIMEOUT/p' "$log" | head -80
	count "$log" "$label"
}

test_args=()
suite gcc gcc
# What is recorded does not depend on the compiler, and takes two minutes each time.
test_args=(--no-suite lint --no-suite live)
CC=clang suite clang clang
test_args=(--no-suite lint --timeout-multiplier 4)
ASAN_OPTIONS=detect_leaks=1:halt_on_error=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	suite sanitizers sanitizers -Db_sanitize=address,undefined
if [ -n "$all" ]; then
	# Those that are programs of ours: of a script, it would be the interpreter that is examined.
	test_args=(--suite unit --suite policy --suite fuzz --timeout-multiplier 20
		--wrapper 'valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite')
	suite valgrind gcc
fi

# A suite of its own, with a line for each check; what cannot run here says so and counts as skipped.
if [ -n "$vm" ]; then
	log=build/vm.log
	tests/vm/run.sh >"$log" 2>&1
	case $? in
	0) bad=0 absent=0 ;;
	77)
		bad=0 absent=1
		tail -3 "$log"
		;;
	*)
		bad=$(grep -c '^FAIL' "$log") absent=0
		((bad > 0)) || bad=1
		grep -v '^ok' "$log" | tail -40
		;;
	esac
	good=$(grep -c '^ok' "$log")
	passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + absent))
	echo "vm: $good ok, $bad failed, $absent skipped"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
