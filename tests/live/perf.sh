#!/bin/bash
# Recordings of perf on the running kernel against perf script: the same events, times, CPUs
# and threads, and as many losses.
#   tests/live/perf.sh REWAKE SOURCE_ROOT
# Needs perf and the right to trace all CPUs; exits 77 with a reason where there is none.
set -u
rewake=$(realpath "$1") root=$(realpath "$2")
events=sched:sched_switch,sched:sched_waking,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_migrate_task

skip() { echo "SKIP: $1"; exit 77; }
command -v perf >/dev/null || skip "no perf"
dir=$(mktemp -d) failed=0
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
perf record -q -a -e "$events" -o try.data -- true >/dev/null 2>&1 || skip "perf cannot record all CPUs here"

fail() { echo "FAIL: $1"; failed=1; }

# "ns cpu tid event" of each side.  perf's tid is that of the sample, ours that of the record.
theirs() {
	perf script --ns -F tid,cpu,time,event -i "$1" 2>/dev/null |
		sed -nE 's/^ *(-?[0-9]+) +\[0*([0-9]+)\] +([0-9]+)\.([0-9]{9}): +sched:(sched_(switch|waking|wakeup|wakeup_new|migrate_task)): *$/\3\4 \2 \1 \5/p' |
		sed 's/^0*//' | sort -n
}
ours() {
	"$rewake" dump "$1" | sed -nE 's/^([0-9]+) \[([0-9]+)\] 0x[0-9a-f]+ (sched_[a-z_]+) tid=([0-9]+) .*/\1 \2 \4 \3/p' | sort -n
}
compare() { # NAME FILE
	local n
	theirs "$2" >want
	ours "$2" >got
	n=$(wc -l <want)
	[ "$n" -gt 100 ] || fail "$1: only $n events"
	# A task that ends has left its thread id when perf takes the sample.
	if ! diff <(grep -v ' -1 ' want) <(grep -vxFf <(sed -n 's/ -1 / /p' want) got | head -n "$n") >diff.txt &&
		! diff <(cut -d' ' -f1,2,4 want) <(cut -d' ' -f1,2,4 got) >diff.txt; then
		fail "$1: $(head -5 diff.txt)"
	fi
	echo "$1: $n events"
}

load=("$root/samples/load.sh" 1 2)
perf record -q -a -e "$events" -o file.data -- "${load[@]}" >/dev/null 2>&1
compare file file.data
perf record -q -a -e "$events" -o - -- "${load[@]}" 2>/dev/null >pipe.data
compare pipe pipe.data
if perf record -q -a -z -e "$events" -o zstd.data -- "${load[@]}" >/dev/null 2>&1; then
	compare zstd zstd.data
	perf record -q -a -z -e "$events" -o - -- "${load[@]}" 2>/dev/null >pipe-zstd.data
	compare "pipe and zstd" pipe-zstd.data
fi
perf sched record -o sched.data -- "${load[@]}" >/dev/null 2>&1
compare "perf sched record" sched.data
# Buffers of one page lose events: as many as perf says.
perf record -q -a -m 1 -e "$events" -o lost.data -- "${load[@]}" >/dev/null 2>&1
compare lost lost.data
# Losses that the same record found are one gap; some at the end are known from perf's sums only.
want=$(perf script -D -i lost.data 2>/dev/null | sed -nE 's/.*PERF_RECORD_LOST: .*lost: *([0-9]+).*/\1/p' | awk '{s += $1} END {print s + 0}')
got=$("$rewake" dump lost.data | sed -n 's/.* lost tid.* count=//p' | awk '{s += $1} END {print s + 0}')
[ "$want" -le "$got" ] || fail "lost: $got events instead of $want"
"$rewake" import -q lost.data -o lost.db 2>err
status=$?
if [ "$got" -gt 0 ]; then
	[ "$status" = 3 ] || fail "lost: exit status $status"
	grep -q 'events were lost' err || fail "lost: does not say so"
fi
echo "lost: $got events were, $want by the gaps alone"
# The machine comes from the file itself.
"$rewake" import -qf file.data -o file.db 2>err || [ $? = 3 ] || fail "import: $(cat err)"
known=$("$rewake" query file.db 'select topology_known from machine' --format csv | tail -1 | tr -d '\r')
[ "$known" = 1 ] || [ ! -e /sys/devices/system/cpu/cpu0/cache ] || fail "topology unknown"
# perf that is killed has no formats behind its records: they come from the kernel that runs.
perf record -q -a -e "$events" -o killed.data -- sleep 60 >/dev/null 2>&1 &
pid=$!
"${load[@]}" >/dev/null 2>&1
for _ in {1..100}; do
	[ "$(stat -c %s killed.data 2>/dev/null || echo 0)" -gt 200000 ] && break
	"${load[@]}" >/dev/null 2>&1
done
kill -9 $pid
wait $pid 2>/dev/null
"$rewake" dump killed.data 2>err && fail "killed: read without formats"
grep -q -- --formats err || fail "killed: $(cat err)"
for from in /sys/kernel/tracing file.data; do
	"$rewake" dump killed.data --formats $from >"dump-$(basename $from)" 2>err
	[ $? = 3 ] || fail "killed, formats of $from: $(cat err)"
done
cmp dump-tracing dump-file.data || fail "killed: the places of formats differ"
n=$(wc -l <dump-tracing)
[ "$n" -gt 100 ] || fail "killed: only $n events"
echo "killed: $n events"
exit $failed
