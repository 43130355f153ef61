#!/usr/bin/env bash
# How exactly does a replay reproduce the recorded kernels?  Prints Markdown tables over a corpus of recordings with
# probes, a folder per kernel and machine (*.dat, machine/):
#   tests/bench/accuracy.sh REWAKE CORPUS [FOLDER…]
# Percent of all / of interesting decisions, all recordings of a folder together.
set -eu
rewake=$(realpath "$1") corpus=$(realpath "$2")
shift 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$corpus"
[ $# -gt 0 ] || set -- *

# The policy that a folder's kernel ran, by the end of its name.
policy_of() {
	case $1 in
	*-vagin) echo vagin ;;
	*-sis-sync) echo sis-sync ;;
	*-gorman) echo gorman ;;
	*-v59idle) echo v5.9 ;;
	*-noaffine) echo affine-off ;;
	*) echo linux ;;
	esac
}

import() { # folder, recording, probe mode, database
	"$rewake" import -q -f --probe="$3" -m "$1/machine" "$1/$2.dat" -o "$4" 2>/dev/null || [ $? -eq 3 ]
}

loads() { for t in "$1"/*.dat; do basename "$t" .dat; done; }

agreement() { # folder, probe mode, replay mode, policy, kernel
	local load
	for load in $(loads "$1"); do
		import "$1" "$load" "$2" "$tmp/a.db"
		"$rewake" replay -q "$tmp/a.db" --mode="$3" --kernel "$5" -p "$4"
		"$rewake" query "$tmp/a.db" --format csv \
			'select decisions, agree, interesting, interesting_agree from agreement' | tail -n +2
	done | tr -d '\r' | awk -F, '{n += $1; a += $2; i += $3; j += $4}
		END {printf "%.2f / %.2f", n ? 100 * a / n : 0, i ? 100 * j / i : 0}'
}

recognised() { # folder: was it a decision at all, five events against the probe
	local load
	for load in $(loads "$1"); do
		import "$1" "$load" all "$tmp/a.db"
		import "$1" "$load" none "$tmp/n.db"
		sqlite3 "$tmp/a.db" "attach '$tmp/n.db' as n;
			select sum(a.kind = 'decision' and b.kind = 'decision'), sum(b.kind = 'decision'),
				sum(a.kind = 'decision') from main.wakeup a join n.wakeup b using (ts, cpu)"
	done | awk -F'|' '{both += $1; said += $2; were += $3}
		END {printf "%.2f / %.2f", 100 * both / said, 100 * both / were}'
}

echo '| folder | policy | hidden values recorded, open | wake flags only, open | wake flags only, calibrated | five events, open | five events, calibrated | decision at all: precision / recall |'
echo '|---|---|---|---|---|---|---|---|'
for folder; do
	p=$(policy_of "$folder")
	hidden=–
	case $folder in *-state) hidden=$(agreement "$folder" all open "$p" "$p") ;; esac
	echo "| $folder | $p | $hidden | $(agreement "$folder" flags open "$p" "$p") |" \
		"$(agreement "$folder" flags calibrated "$p" "$p") | $(agreement "$folder" none open "$p" "$p") |" \
		"$(agreement "$folder" none calibrated "$p" "$p") | $(recognised "$folder") |"
done

echo
echo 'Kernels with a debated policy compiled in: that policy, and plain 6.1 rules, on wake flags only, calibrated'
echo
echo '| folder | load | its policy | linux |'
echo '|---|---|---|---|'
for folder; do
	p=$(policy_of "$folder")
	[ "$p" != linux ] || continue
	for load in $(loads "$folder"); do
		import "$folder" "$load" flags "$tmp/a.db"
		"$rewake" replay -q "$tmp/a.db" --mode=calibrated --kernel "$p" -p "$p" -p linux
		"$rewake" query "$tmp/a.db" --format csv "select
			printf('| $folder | $load | %.2f / %.2f (%s) |', 100.0 * sum(agree) filter (where policy <> 'linux') / max(decisions),
				100.0 * sum(interesting_agree) filter (where policy <> 'linux') / max(max(interesting), 1), max(interesting))
			|| printf(' %.2f / %.2f |', 100.0 * sum(agree) filter (where policy = 'linux') / max(decisions),
				100.0 * sum(interesting_agree) filter (where policy = 'linux') / max(max(interesting), 1)) as line
			from agreement" | tail -n +2 | tr -d '\r"'
	done
done

echo
echo 'Rebuilt hidden values against recorded ones: right %, within one %, share of decisions whose answer the true value alone would change'
echo
echo '| folder | wakee_flips | last_wakee | recent_used_cpu | nr_idle_scan | has_idle_cores |'
echo '|---|---|---|---|---|---|'
for folder; do
	case $folder in *-state) ;; *) continue ;; esac
	for load in $(loads "$folder"); do
		import "$folder" "$load" all "$tmp/a.db"
		"$rewake" replay "$tmp/a.db" --audit
	done | awk -v f="$folder" '/^[0-9]+ decisions/ {n = $1; all += n}
		/^(wakee_flips|last_wakee|recent_used|nr_idle|has_idle)/ {
			right[$1] += n * $(NF - 2); near[$1] += n * $(NF - 1); changes[$1] += n * $NF}
		END {
			printf "| %s |", f
			split("wakee_flips last_wakee recent_used_cpu nr_idle_scan has_idle_cores", names, " ")
			for (i = 1; i <= 5; i++)
				printf " %.1f, %.1f, %.2f |", right[names[i]] / all, near[names[i]] / all, changes[names[i]] / all
			print ""
		}'
done

echo
echo 'New tasks and execs, wake flags only, open: same CPU %; an idle CPU where the kernel took one'
echo
echo '| folder | new tasks | execs | both | idle CPU |'
echo '|---|---|---|---|---|'
for folder; do
	p=$(policy_of "$folder")
	for load in $(loads "$folder"); do
		import "$folder" "$load" flags "$tmp/a.db"
		"$rewake" replay -q "$tmp/a.db" --kernel "$p" -p linux
		"$rewake" query "$tmp/a.db" --format csv 'select fork_decisions, fork_agree, exec_decisions, exec_agree,
			fork_idle + exec_idle, fork_idle_agree + exec_idle_agree from agreement' | tail -n +2
	done | tr -d '\r' | awk -F, -v f="$folder" '{for (i = 1; i <= 6; i++) s[i] += $i}
		function of(a, n) {return sprintf("%.2f of %d", n ? 100 * a / n : 0, n)}
		END {printf "| %s | %s | %s | %s | %d of %d |\n", f, of(s[2], s[1]), of(s[4], s[3]),
			of(s[2] + s[4], s[1] + s[3]), s[6], s[5]}'
done
