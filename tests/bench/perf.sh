#!/usr/bin/env bash
# Import of perf.data beside perf itself on the same files in the same run, published rather than asserted:
#   tests/bench/perf.sh REWAKE [FILE.data...]
# Without a FILE it records some here (root and perf needed): a pipe ping-pong, plain and with zstd, and one four
# times as long for the memory figure.
set -eu
rewake=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

seconds() { # best of three wall-clock times of a command
	local best= t
	for _ in 1 2 3; do
		TIMEFORMAT=%R
		t=$( { time "$@" >/dev/null 2>&1 || true; } 2>&1)
		[ -n "$best" ] && awk "BEGIN{exit !($t >= $best)}" || best=$t
	done
	echo "$best"
}
peak_kb() { # peak resident memory of a command
	python3 - "$@" <<'P'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
P
}

files=("$@")
if [ $# = 0 ]; then
	events=sched:sched_switch,sched:sched_waking,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_migrate_task
	perf record -q -a -e $events -o "$tmp/plain.data" -- "$here/../../samples/load.sh" 10 2 >&2
	perf record -q -a -z -e $events -o "$tmp/zstd.data" -- "$here/../../samples/load.sh" 10 2 >&2
	perf record -q -a -e $events -o "$tmp/long.data" -- "$here/../../samples/load.sh" 40 2 >&2
	files=("$tmp/plain.data" "$tmp/zstd.data" "$tmp/long.data")
fi
for f in "${files[@]}"; do
	"$rewake" import -q -f "$f" -o "$tmp/run.db" 2>/dev/null || true
	n=$("$rewake" query "$tmp/run.db" 'select sum(count) from run_event' --format csv | tail -1 | tr -d '\r')
	ours=$(seconds "$rewake" import -q -f "$f" -o "$tmp/run.db")
	script=$(seconds perf script -i "$f")
	latency=$(seconds perf sched latency -i "$f")
	awk -v name="$(basename "$f")" -v n="$n" -v o="$ours" -v s="$script" -v l="$latency" \
		-v kb="$(peak_kb "$rewake" import -q -f "$f" -o "$tmp/run.db")" 'BEGIN {
		printf "%s: %d events, import %.2f s (%.2f M events/s), peak %d kB\n", name, n, o, n / o / 1e6, kb
		printf "  perf script >/dev/null %.2f s: import is %.1f x as fast\n", s, s / o
		printf "  perf sched latency %.2f s: import is %.1f x as fast\n", l, l / o
	}'
done
