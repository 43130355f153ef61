#!/usr/bin/env bash
# Speed and memory, published rather than asserted, each beside its peer in the same run:
#   tests/bench/run.sh REWAKE [TRACE.dat]
# Without TRACE it records one here (root and tracefs needed): at least 2 million events of a pipe ping-pong,
# and one four times as long for the memory figure.
set -eu
rewake=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
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
events() { "$rewake" query "$1" 'select sum(count) from run_event' --format csv | tail -1 | tr -d '\r'; }
rate() { awk "BEGIN{printf \"%.2f\", $1 / $2 / 1e6}"; }

if [ $# -ge 2 ]; then
	trace=$(realpath "$2") long=
else
	load=$here/../../samples/load.sh
	trace=$tmp/short.dat long=$tmp/long.dat
	"$rewake" record -o "$trace" -- "$load" 11 2 >&2
	"$rewake" record -o "$long" -- "$load" 44 2 >&2
fi

"$rewake" import -q -f "$trace" -o "$tmp/run.db" || true
n=$(events "$tmp/run.db")
ours=$(seconds "$rewake" import -q -f "$trace" -o "$tmp/run.db")
peer=$(seconds trace-cmd report "$trace")
echo "events in the recording:         $n"
echo "import:                          $(rate "$n" "$ours") M events/s ($ours s)"
echo "trace-cmd report >/dev/null:     $(rate "$n" "$peer") M events/s ($peer s)"
echo "import is faster by:             $(awk "BEGIN{printf \"%.1f\", $peer / $ours}") x"
echo "peak memory of import:           $(peak_kb "$rewake" import -q -f "$trace" -o "$tmp/run.db") kB"
if [ -n "$long" ]; then
	echo "peak memory, four times as long: $(peak_kb "$rewake" import -q -f "$long" -o "$tmp/long.db") kB"
fi

# Replays of eight policies, in one thread; the recording's two CPUs are seen on a larger machine.  Each on a copy of
# its own: replacing a former replay's verdicts takes longer than to count.  CPU time says what a core can do also
# when others use it.
replay_rates() { # DATABASE ARGUMENT…: by wall clock and by CPU time, each the best of three
	local db=$1 verdicts seconds cpu rates=() TIMEFORMAT='%U %S'
	shift
	for _ in 1 2 3; do
		cp "$db" "$tmp/replay.db"
		cpu=$( { time "$rewake" replay "$tmp/replay.db" "$@" >"$tmp/line"; } 2>&1 | tail -1)
		read -r verdicts seconds < <(sed -E 's/.* ([0-9]+) verdicts, ([0-9.]+) s .*/\1 \2/' "$tmp/line")
		rates+=("$(rate "$verdicts" "$seconds") $(rate "$verdicts" "(${cpu/ /+})")")
	done
	printf '%s\n' "${rates[@]}" | awk '$1 > wall {wall = $1} $2 > cpu {cpu = $2}
		END {printf "%.2f M verdicts/s, %.2f M per second of CPU time\n", wall, cpu}'
}
policies=(linux v5.9 lawall gorman vagin sis-sync affine-off)
for cpus in 16 256; do
	"$here/machine_tree.sh" "$tmp/m$cpus" $cpus $((cpus / 2))
	"$rewake" machine --root "$tmp/m$cpus" -o "$tmp/m$cpus.json"
	"$rewake" import -q -f --machine "$tmp/m$cpus.json" "$trace" -o "$tmp/m$cpus.db" || true
	args=(-p prev)
	for p in "${policies[@]}"; do args+=(-p "$p,version=6.12"); done
	printf '%-33s%s\n' "replay, 8 policies, $cpus CPUs:" "$(replay_rates "$tmp/m$cpus.db" "${args[@]}")"
	printf '%-33s%s\n' "the same, summary only:" "$(replay_rates "$tmp/m$cpus.db" --summary-only "${args[@]}")"
done
