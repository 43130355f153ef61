#!/usr/bin/env bash
# Times of every shipped report, published rather than asserted:
#   tests/bench/reports.sh REWAKE [TRACE.dat [MACHINE.json]]
# Without TRACE it records one here (root and tracefs needed): about a million wakeups of a pipe ping-pong.
# Eight policies are replayed over it.  Wall clock and CPU time are each the best of three; on a machine that does
# other things as well, CPU time says more.
set -eu
rewake=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

best() { # wall clock and CPU time of a command in seconds, each the best of three
	local TIMEFORMAT='%R %U %S'
	for _ in 1 2 3; do
		{ time "$@" >/dev/null 2>"$tmp/errors" || [ $? = 3 ] || { cat "$tmp/errors" >&2; exit 1; }; } 2>&1
	done | awk '{cpu = $2 + $3} NR == 1 || $1 < wall {wall = $1} NR == 1 || cpu < least {least = cpu}
		END {printf "%.2f %.2f", wall, least}'
}
value() { "$rewake" query "$tmp/run.db" "$1" --format csv | tail -1 | tr -d '\r'; }

if [ $# -ge 2 ]; then
	trace=$(realpath "$2")
	machine=${3:-}
else
	"$rewake" record -o "$tmp/run.dat" -- "$here/../../samples/load.sh" 14 2 >&2
	trace=$tmp/run.dat machine=$tmp/run.machine.json
fi
import=("$rewake" import -q -f ${machine:+-m "$machine"} "$trace" -o "$tmp/run.db")
"${import[@]}" 2>/dev/null || true
echo "wakeups:          $(value 'SELECT SUM(count) FROM wakeup_count')"
read -r wall cpu < <(best "${import[@]}"; echo)
echo "import:           $wall s, $cpu s of CPU time"
replay=("$rewake" replay -q "$tmp/run.db" -p prev)
for p in linux v5.9 lawall gorman vagin sis-sync affine-off; do replay+=(-p "$p,version=6.12"); done
size=$(stat -c %s "$tmp/run.db")
"${replay[@]}"
verdicts=$(value 'SELECT SUM(verdicts) FROM replay')
echo "replay:           $verdicts verdicts, $(value 'SELECT SUM(differ) FROM replay_price') of them with a price"
awk -v run="$size" -v all="$(stat -c %s "$tmp/run.db")" -v trace="$(stat -c %s "$trace")" -v n="$verdicts" 'BEGIN {
	printf "size of the file:  %d bytes imported, %d with the verdicts; %.2f times the trace and 16 bytes per verdict\n",
		run, all, (all - 16 * n) / trace }'
printf '%-14s %8s %8s\n' report wall_s cpu_s
"$rewake" report "$tmp/run.db" | awk '$1 != "-P" {print $1}' | while read -r name; do
	read -r wall cpu < <(best "$rewake" report "$tmp/run.db" "$name"; echo)
	printf '%-14s %8.2f %8.2f\n' "$name" "$wall" "$cpu"
done
