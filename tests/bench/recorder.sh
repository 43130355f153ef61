#!/usr/bin/env bash
# What recording costs the machine that is recorded, published rather than asserted:
#   tests/bench/recorder.sh REWAKE [ROUNDS [LEVEL…]]     default: 15 rounds of level none
# A pipe ping-pong runs for a second without recording, with rewake at each probe level, and with perf record of the same
# events; once each per round, in another order every round.  Medians over the rounds, so that others on the machine
# count little.  Needs root, tracefs, perf.  What the recorder's threads take is counted while it records.
set -u
rewake=$(realpath "$1") rounds=${2:-15}
shift $(($# < 2 ? $# : 2))
levels=("${@:-none}")
root=$(dirname "$(realpath "$0")")/../..
pairs=2
tracefs=$(awk '$3 == "tracefs" {print $2; exit}' /proc/self/mounts)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
# What belongs to the measurement goes before what others run meanwhile.
renice -n -10 $$ >/dev/null 2>&1 || true
events=$(printf 'sched:%s,' sched_waking sched_wakeup sched_wakeup_new sched_migrate_task sched_switch)

load() { "$root/samples/load.sh" "$1" $pairs; }
export -f load
export root pairs
trips() { sed -n 's/.* \([0-9]*\) round trips.*/\1/p' "$1"; }
one() { # mode: round trips of the load under it
	case $1 in
	off) load 1 ;;
	perf) perf record -q -a -o perf.data -e "${events%,}" -- bash -c 'load 1' 2>perf.err ;;
	*) "$rewake" record -o run --probe="$1" -- bash -c 'load 1' 2>rewake.err ;;
	esac >out
	trips out
}
median() { sort -n | awk '{v[NR] = $1} END {if (NR) printf "%.1f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

modes=("${levels[@]}")
command -v perf >/dev/null && modes+=(perf)
modes+=(off)
for ((round = 0; round < rounds; round++)); do
	declare -A got=()
	for ((i = 0; i < ${#modes[@]}; i++)); do
		mode=${modes[(i + round) % ${#modes[@]}]}
		got[$mode]=$(one "$mode")
	done
	for mode in "${modes[@]}"; do
		[ -n "${got[$mode]}" ] && [ -n "${got[off]}" ] && echo "$mode ${got[$mode]} ${got[off]}"
	done
done >rows
echo "round trips per second of $pairs pairs on $(nproc) CPUs, medians of $rounds rounds:"
printf '%-8s %12s %18s\n' recorder 'round trips' 'loss % to none'
for mode in off "${modes[@]:0:${#modes[@]}-1}"; do
	printf '%-8s %12s %18s\n' "$mode" "$(awk -v m="$mode" '$1 == m {print $2}' rows | median)" \
		"$(awk -v m="$mode" '$1 == m {print 100 * (1 - $2 / $3)}' rows | median)"
done

# What the threads take: CPU time of all of them by the scheduler's own account, per events that the kernel recorded.
counted() { awk '/^(entries|overrun|read events)/ {n += $NF} END {print n + 0}' "$tracefs/instances/rewake-$1"-*/per_cpu/cpu*/stats; }
cpu_ns() { cat "/proc/$1"/task/*/schedstat 2>/dev/null | awk '{n += $1} END {print n + 0}'; }
for n in 1 2 3 4 5; do
	"$rewake" record -o run -d 20 --probe="${levels[0]}" 2>rewake.err &
	pid=$!
	load 4 >out &
	child=$!
	sleep 1
	from=$(counted $pid) ns=$(cpu_ns $pid) start=$(date +%s%N)
	sleep 2
	to=$(counted $pid) ns=$(($(cpu_ns $pid) - ns)) wall=$(($(date +%s%N) - start))
	kill -INT $pid
	wait $pid $child
	awk -v n=$((to - from)) -v ns=$ns -v wall=$wall 'BEGIN {print n / wall * 1e9, 100 * ns / wall}'
done >share
echo "the recorder's own threads, medians of 5: $(awk '{print $2}' share | median) % of a CPU at" \
	"$(awk '{printf "%.0f\n", $1 / 1000}' share | median) k events/s," \
	"$(awk '{print $2 * 1e5 / $1}' share | sort -n | sed -n 3p | xargs printf %.2f) % at 100 k events/s"

"$rewake" record -o run --probe="${levels[0]}" -- bash -c 'load 30' >out 2>rewake.err
echo "30 s at the default buffer size: $(sed -n 's/^recorded \(.*\) ->.*/\1/p' rewake.err)"
