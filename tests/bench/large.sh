#!/usr/bin/env bash
# A trace of gigabytes: it must be imported in less than 256 MB of memory, which is asserted; that it is as fast as a
# small one is published beside it, by events in a second of CPU: an import of half a second has much of its time from
# the disk and from whatever else runs.
#   tests/bench/large.sh REWAKE [GIGABYTES [SOURCE.dat]]
# Needs trace-cmd, and twice the size on the disk (TMPDIR).
set -eu
rewake=$(realpath "$1")
size=${2:-4}
here=$(cd "$(dirname "$0")" && pwd)
source=$(realpath "${3:-$here/../../samples/oltp.dat}")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
limit=$((256 << 10))

trace-cmd convert --file-version 6 --compression none -i "$source" -o "$tmp/one.dat" >/dev/null 2>&1

# NAME BYTES: prints events, seconds, events/s, seconds of CPU and events in each, peak memory and how often the
# recording was repeated
measure() {
	local rounds events
	rounds=$(python3 "$here/large.py" "$tmp/one.dat" "$tmp/$1.dat" "$2")
	python3 - "$rewake" "$tmp/$1" >"$tmp/figures" <<'P'
import os, resource, subprocess, sys, time
rewake, name = sys.argv[1:]
# The trace was written a moment ago: that it goes to the disk is no part of what is measured.
with open(name + ".dat", "rb") as trace:
    os.fsync(trace)
before = resource.getrusage(resource.RUSAGE_CHILDREN)
start = time.monotonic()
done = subprocess.run([rewake, "import", "-q", "-f", name + ".dat", "-o", name + ".db"], stderr=subprocess.DEVNULL, check=False)
seconds = time.monotonic() - start
assert done.returncode in (0, 3), f"import: exit {done.returncode}"
after = resource.getrusage(resource.RUSAGE_CHILDREN)
print(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss)
P
	read -r seconds cpu peak <"$tmp/figures"
	events=$("$rewake" query "$tmp/$1.db" 'select sum(count) from run_event' --format csv | tail -1 | tr -d '\r')
	awk -v n="$1" -v b="$(stat -c %s "$tmp/$1.dat")" -v e="$events" -v s="$seconds" -v c="$cpu" -v p="$peak" -v r="$rounds" 'BEGIN {
		printf "%s: %.0f MB, %d times the recording, %d events in %.1f s, %.2f M events/s; %.1f s of CPU (user+sys), " \
			"%.2f M events each; %.0f MB of memory\n",
			n, b / 1048576, r, e, s, e / s / 1e6, c, e / c / 1e6, p / 1024}'
	rm "$tmp/$1.dat" "$tmp/$1.db"
	((peak < limit)) || { echo "more memory than 256 MB"; exit 1; }
}

measure small $((100 << 20))
measure large $((size << 30))
