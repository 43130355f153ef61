#!/bin/bash
# A small load that wakes tasks: pairs of processes hand a line back and forth
# through pipes until the time is over.  Needs bash and coreutils only.
#   samples/load.sh [SECONDS [PAIRS]]     default: 1 second, 2 pairs; at most 60 and 64
set -u
seconds=${1:-1} pairs=${2:-2}
case $seconds$pairs in
*[!0-9]*) echo "usage: $0 [SECONDS [PAIRS]]" >&2; exit 2 ;;
esac
((seconds = seconds > 60 ? 60 : seconds, pairs = pairs > 64 ? 64 : pairs))

# Answers every line with a line, until its partner has gone.
pong() {
	while read -r line; do
		echo "$line" || exit 0
	done 2>/dev/null
	exit 0
}

# Microseconds; the decimal point is the language's.
now() { echo "${EPOCHREALTIME/[.,]/}"; }

# One pair: sends, waits for the answer, counts.
pair() {
	local end=$(($(now) + seconds * 1000000)) trips=0 line
	coproc PONG { pong; }
	while ((${EPOCHREALTIME/[.,]/} < end)); do
		echo ping >&"${PONG[1]}" || break
		read -r line <&"${PONG[0]}" || break
		((trips++))
	done
	echo "$trips"
}

total=0
while read -r trips; do
	((total += trips))
done < <(for ((i = 0; i < pairs; i++)); do pair & done; wait)
echo "load: $pairs pairs, $total round trips in $seconds s"
