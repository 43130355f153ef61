#!/usr/bin/env bash
# Import of text, published rather than asserted:
#   tests/bench/text.sh REWAKE [FILE.dat [LINES]]
# Prints FILE (default: the sample) with trace-cmd, repeats it with shifted times until it has LINES (default: a million and
# a half), and imports that: from a file, from a pipe, packed by gzip; and one four times as long for the memory figure.
set -eu
rewake=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
trace=${2:-$here/../../samples/oltp.dat} lines=${3:-1500000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

repeat() { # lines, from the report on stdin
	python3 -c '
import re, sys
line = re.compile(rb"^(.*?\]\s+)(\d+)(\.\d+: .*)$", re.S)
rows, out, want = [m.groups() for m in map(line.match, sys.stdin.buffer) if m], sys.stdout.buffer, int(sys.argv[1])
span, n = int(rows[-1][1]) - int(rows[0][1]) + 1, 0
while n < want:
    for before, seconds, after in rows:
        out.write(b"%s%d%s" % (before, int(seconds) + n // len(rows) * span, after))
    n += len(rows)
' "$1"
}
measure() { # name, lines, shell command: best of three, and its peak of memory
	python3 - "$@" <<'P'
import resource, subprocess, sys, time
name, lines, command = sys.argv[1], int(sys.argv[2]), sys.argv[3]
best = None
cpu = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
for _ in range(3):
    start, before = time.monotonic(), cpu()
    subprocess.run(["sh", "-c", command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    took = time.monotonic() - start
    run = (took, cpu() - before)
    best = min(best or run, run)
kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
took, used = best
print(f"{name}: {lines} lines, import {took:.2f} s ({lines / took / 1e6:.2f} M lines/s), {used:.2f} s of CPU time "
      f"({lines / used / 1e6:.2f} M lines/s), peak {kb} kB")
P
}

trace-cmd report -t -i "$trace" 2>/dev/null >"$tmp/report"
repeat "$lines" <"$tmp/report" >"$tmp/text"
repeat $((4 * lines)) <"$tmp/report" >"$tmp/long"
gzip -1 -k "$tmp/text"
n=$(wc -l <"$tmp/text") to="-q -f -o $tmp/run.db"
measure file "$n" "exec '$rewake' import '$tmp/text' $to"
measure pipe "$n" "cat '$tmp/text' | '$rewake' import - $to"
measure gzip "$n" "exec '$rewake' import '$tmp/text.gz' $to"
measure "four times as long" "$(wc -l <"$tmp/long")" "exec '$rewake' import '$tmp/long' $to"
