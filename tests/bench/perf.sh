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

compare() { # name, events, file: import and perf in rounds taken in turn; of each the least wall-clock and CPU time
	python3 - "$@" "$rewake" "$tmp/run.db" <<'P'
import resource, subprocess, sys, time
name, events, trace, rewake, db = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
commands = {"import": [rewake, "import", "-q", "-f", trace, "-o", db],
            "perf script >/dev/null": ["perf", "script", "-i", trace],
            "perf sched latency": ["perf", "sched", "latency", "-i", trace]}
usage = lambda: resource.getrusage(resource.RUSAGE_CHILDREN)
cpu = lambda: sum(usage()[:2])
runs = {what: [] for what in commands}
peak = None
for _ in range(5):
    for what, command in commands.items():
        start, before = time.monotonic(), cpu()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        runs[what].append((time.monotonic() - start, cpu() - before))
        peak = peak or usage().ru_maxrss  # after the first, which is the import
least = {what: tuple(map(min, zip(*r))) for what, r in runs.items()}
wall, used = least.pop("import")
print(f"{name}: {events} events, import {wall:.3f} s ({events / wall / 1e6:.2f} M events/s), "
      f"{used:.3f} s of CPU time, peak {peak} kB")
for what, (other, other_used) in least.items():
    print(f"  {what} {other:.3f} s: import is {other / wall:.2f} x as fast; "
          f"{other_used:.3f} s of CPU time: {other_used / used:.2f} x")
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
	compare "$(basename "$f")" "$n" "$f"
done
