#!/usr/bin/env bash
# Imports and replays what a guest recorded, and checks it.
#   tests/vm/check.sh REWAKE FOLDER CPUS NODES CACHES SMT
# Prints a line for each check and exits 1 if one failed.
set -u
rewake=$(realpath "$1") cpus=$3 nodes=$4 caches=$5 smt=$6
cd "$2" || exit 1
failed=0

check() { # what, shell words that must be true…
	local what=$1
	shift
	if "$@"; then
		echo "ok: $what"
	else
		echo "FAIL: $what"
		failed=1
	fi
}
has() { grep -qE -- "$1" "$2" 2>/dev/null; }
status() { [ "$(cat "$1.rc" 2>/dev/null)" = "$2" ]; }
nothing() { [ -e "$1" ] && [ ! -s "$1" ]; }
# A recording that is whole: 3 says that a slow machine lost events, which is then told.
recorded() { status "$1" 0 || { status "$1" 3 && has 'lost [1-9]' "$1.err"; }; }
imports() { # 3: imported, with losses
	local got=0
	"$rewake" import -q -f "$1.dat" -o "$1.db" 2>"$1.import" || got=$?
	[ $got -eq 0 ] || [ $got -eq 3 ] || { cat "$1.import"; false; }
}
ask() { "$rewake" query "$1.db" --format csv "$2" | tail -n +2 | tr -d '\r'; }
is() { # name, wanted
	local got
	got=$(ask "$1" "$3")
	[ "$got" = "$2" ] || { echo "  $1: $got instead of $2"; false; }
}
at_least() { # wanted, database, query of one number
	local got
	got=$(ask "$2" "$3")
	[ -n "$got" ] && awk -v got="$got" -v least="$1" 'BEGIN {exit !(got >= least)}' ||
		{ echo "  $2: $got, at least $1 wanted"; false; }
}
portion() { # of the lines of the first file that are in the second, percent
	local all common
	all=$(wc -l <"$1") common=$(comm -12 "$1" "$2" | wc -l)
	awk -v all="$all" -v common="$common" 'BEGIN {if (all) print 100 * common / all; else print 0}'
}
no_less() { awk -v got="$2" -v least="$1" 'BEGIN {exit !(got >= least)}' || { echo "  $2, at least $1 wanted"; false; }; }
audited() { # database, value that is rebuilt: percent that are right
	"$rewake" replay --audit "$1.db" 2>/dev/null | sed -nE "s/^$2 +[0-9.]+ +([0-9.]+)( .*)?\$/\1/p"
}
same_events() { # every event that the recorder read is in the file, as another reader counts them
	local said got
	said=$(sed -nE 's/^recorded ([0-9]+) events.*/\1/p' "$1.err")
	got=$(trace-cmd report "$1.dat" 2>/dev/null | grep -cE ': (sched_|sel|cpu_idle|nr:)')
	[ -n "$said" ] && [ "$said" -gt 0 ] && [ "$got" = "$said" ] ||
		{ echo "  $1: $got events in the file, the recorder says $said"; false; }
}

check "nothing there before" nothing before.left
cases="auto none named late followed packed state standin fails unplugged plugged gone next"
[ -e no-counts ] || cases="$cases counted"
for name in $cases; do
	[ "$name" = fails ] || check "$name: recorded" recorded "$name"
	check "$name: imports" imports "$name"
	check "$name: nothing left in the kernel and beside the output" nothing "$name.left"
	check "$name: all events are in the file" same_events "$name"
done

check "auto: the machine is the one that was booted" \
	is auto "$cpus,$nodes,$caches,$smt" 'select nr_cpu_ids, nr_nodes, nr_llc, smt_active from machine'
check "auto: takes hidden" is auto hidden "select value from machine_setting where name = 'rewake/probe/level'"
check "none: takes none" is none none "select value from machine_setting where name = 'rewake/probe/level'"
check "auto: 100 decisions" at_least 100 auto "select count(*) from wakeup where kind = 'decision'"
check "auto: 99 % of the decisions are probed" at_least 99 auto \
	"select 100.0 * sum(kind_source = 'probed') / count(*) from wakeup where kind = 'decision'"
check "none: no decision is probed" is none 0 "select sum(kind_source = 'probed') from wakeup where kind = 'decision'"
check "auto: every probed call has the values of all cache domains" is auto 0 "select count(*) from probe p
	where (select count(*) from probe_llc l where l.run_id = p.run_id and l.seq = p.seq) != $caches"
case $(cat release) in
5.*) ;; # has no such value
*) check "auto: nr_idle_scan is known" at_least 1 auto 'select max(nr_idle_scan) from probe_llc' ;;
esac
check "auto: all CPUs were observed" is auto "$cpus" 'select count(*) from run_cpu where observed'
"$rewake" replay -q auto.db -p linux -p recorded >replay.out 2>&1
check "auto: replays" [ $? -eq 0 ]
check "auto: recorded agrees always" at_least 100 auto "select 100.0 * agree / decisions from agreement where policy = 'recorded'"
check "auto: linux agrees in 97 % and more" at_least 97 auto "select 100.0 * agree / decisions from agreement where policy = 'linux'"

check "named: nobody else is in it" is named 0 "select count(*) from wakeup w
	join task waker on waker.run_id = w.run_id and waker.utid = w.waker_utid
	join task wakee on wakee.run_id = w.run_id and wakee.utid = w.wakee_utid
	where waker.name != 'pong' and wakee.name != 'pong'"
check "named: its wakeups are" at_least 50 named "select count(*) from wakeup"
check "late: fired" has 'note: the trigger fired at .* ms after it was woken' late.err
check "late: ended by that" is late trigger "select value from machine_setting where name = 'rewake/end'"
case $(cat release) in
5.*) by=recorder ;; # has no histogram triggers, as Debian configures it
*) by=kernel ;;
esac
trigger() { # case: what the sidecar says of it
	sed -n 's/.*"rewake\/trigger": "\(.*\)".*/\1/p' "$1.machine.json"
}
check "late: decided by the $by" has "trigger: decided by the $by" late.err
check "late: which is kept" has "^wakeup-latency>2000000ns.nby: $by.n" <(trigger late)
check "followed: decided by the recorder, and why" has 'trigger: decided by the recorder.*: the kernel ' followed.err
check "followed: fired" is followed trigger "select value from machine_setting where name = 'rewake/end'"
for name in late followed; do
	check "$name: the task that waited did so in the recording" at_least 1 $name "select count(*) from wakeup w
		join task t on t.run_id = w.run_id and t.utid = w.wakee_utid
		where t.tid = $(trigger $name | sed 's/.*ntid: \([0-9]*\).*/\1/') and w.run_dur > 1500000"
done
check "latename: fired for such a task" has 'comm: pong' <(trigger latename)
check "latecpu: fired on such a CPU" has 'ncpu: [23].n' <(trigger latecpu)
check "latepid: fired for such a task" has 'comm: (load|ping|pong|hand-out)' <(trigger latepid)
if [ $by = kernel ]; then
	# From sched_waking until it ran, with what it ran in between.
	naive=$(trace-cmd report awake.dat 2>/dev/null | awk '
		{for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) {t = $i + 0; break}}
		/ sched_waking: / && / comm=awake / {waking = t; out = 0}
		/ sched_switch: / && / awake:[0-9]+ \[[0-9]+\] [A-Z+]+ ==> / {out = waking}
		/ sched_switch: / && / ==> awake:[0-9]+/ {if (out && t - waking > 0.6) n++; waking = out = 0}
		END {print n + 0}')
	check "awake: was woken while it ran, and preempted later ($naive times)" [ "$naive" -ge 1 ]
	check "awake: decided by the kernel" has 'trigger: decided by the kernel' awake.err
	check "awake: did not fire" has 'fired_ns: never' <(trigger awake)
fi
for name in followed latename latecpu latepid; do
	check "$name: nothing left" nothing $name.left
done

check "packed: is" is packed 1 "select format like '%(zstd)' from run"
check "packed: idle states are in it" test "$(trace-cmd report packed.dat 2>/dev/null | grep -c ' cpu_idle: ')" -gt 0
check "stream: recorded" recorded stream
check "stream: nothing left" nothing stream.left
"$rewake" import -q -f stream.tar.zst -o stream.db 2>stream.import
got=$?
check "stream: imports" [ $got -eq 0 -o $got -eq 3 ]
check "stream: the machine is the one that was booted" is stream "$cpus,$nodes" 'select nr_cpu_ids, nr_nodes from machine'
check "stream: 99 % of the decisions are probed" at_least 99 stream \
	"select 100.0 * sum(kind_source = 'probed') / count(*) from wakeup where kind = 'decision'"

check "state: every CPU at every decision" is state 100.0 "select 100.0 * count(*) / (select $cpus * count(*) from probe)
	from probe_cpu"
"$rewake" replay -q state.db -p linux >state.replay 2>&1
check "state: replays" [ $? -eq 0 ]
check "state: linux agrees in 97 % and more" at_least 97 state "select 100.0 * agree / decisions from agreement where policy = 'linux'"
for value in 'whether a CPU is idle' 'current task of a CPU' 'ttwu_pending of a CPU'; do
	check "state: $value is rebuilt in 90 % and more" no_less 90 "$(audited state "$value")"
done

if [ -e no-counts ]; then
	check "uncounted: exit status 4" status uncounted 4
	check "uncounted: tells why" has 'missing=rewake:nr why=the kernel has no tracepoint probes' uncounted.err
	check "uncounted: nothing left" nothing uncounted.left
else
	check "counted: changes of queues are there" at_least 100 counted 'select count(*) from nr_running'
	check "counted: of all CPUs" is counted "$cpus" 'select count(distinct cpu) from nr_running'
	check "counted: nr_running is right in 98 % and more" no_less 98 "$(audited counted 'nr_running of a CPU')"
	# The probe says what a choice was; without it, the lengths of queues do.
	"$rewake" import -q -f --probe=nr counted.dat -o lengths.db 2>lengths.import
	got=$?
	check "counted: imports without the probe" [ $got -eq 0 -o $got -eq 3 ]
	for name in counted lengths; do
		ask $name "select ts || ':' || cpu from wakeup where kind = 'decision'" | sort >$name.decisions
	done
	check "counted: 99 % of the choices are found without the probe" no_less 99 "$(portion counted.decisions lengths.decisions)"
	check "counted: 95 % of what is found are" no_less 95 "$(portion lengths.decisions counted.decisions)"
fi

check "standin: told" has 'probe: (none|hidden): .*kprobes are switched off' standin.err
if [ -e no-counts ]; then
	check "standin: takes none" is standin none "select value from machine_setting where name = 'rewake/probe/level'"
else
	check "standin: takes hidden" is standin hidden "select value from machine_setting where name = 'rewake/probe/level'"
	check "standin: by fprobes" is standin fprobe "select value from machine_setting where name = 'rewake/probe/by'"
	check "standin: 99 % of the decisions are probed" at_least 99 standin \
		"select 100.0 * sum(kind_source = 'probed') / count(*) from wakeup where kind = 'decision'"
	check "standin: every probed call has its answer and all hidden values" is standin 0 "select count(*) from probe p
		where answer is null or flips is null or (select count(*) from probe_llc l where l.run_id = p.run_id and l.seq = p.seq) != $caches"
fi

check "fails: the command's status is told" has 'exited with status 7' fails.err
check "fails: and passed on" status fails 7
check "misused: exit status 2" status misused 2
check "misused: nothing left" nothing misused.left

check "unplugged: the CPU was offline" has '^0,2-' unplugged.during
check "unplugged: decisions were recorded" at_least 100 unplugged "select count(*) from wakeup where kind = 'decision'"

check "unplugged: that it went and came back is told" has 'CPUs came or went 2 times, which replays follow' unplugged.import
check "plugged: that one came and one went is told" has 'CPUs came or went 2 times, which replays follow' plugged.import
# Of all times in which something is certain and enough was decided: with which CPUs, decisions, percent agreed.
sides() { # name
	"$rewake" replay -q "$1.db" -p linux >>replay.out 2>&1
	ask "$1" "select e.active || ' ' || count(*) || ' ' || round(100.0 * sum(v.agrees) / count(*), 1)
		from cpu_epoch e
		join decision d on d.run_id = e.run_id and d.ts >= coalesce(e.from_ts, d.ts) and d.ts < coalesce(e.to_ts, d.ts + 1)
		join verdict v on v.wakeup_id = d.id and v.agrees is not null
		where not e.changing and e.active = e.domains group by e.epoch having count(*) >= 50 order by e.epoch" | tr -d '"'
}
all_but() { # CPU that is not there
	if [ "$1" -eq $((cpus - 1)) ]; then echo "0-$(($1 - 1))"; elif [ "$1" -eq 1 ]; then echo "0,2-$((cpus - 1))"
	else echo "0-$(($1 - 1)),$(($1 + 1))-$((cpus - 1))" | sed "s/,$((cpus - 1))-$((cpus - 1))/,$((cpus - 1))/"; fi
}
agrees_on_sides() { # name, CPUs of each side…
	local name=$1 got
	shift
	got=$(sides "$name")
	[ "$(echo "$got" | cut -d' ' -f1 | tr '\n' ' ')" = "$(printf '%s ' "$@")" ] &&
		echo "$got" | awk '$3 < 95 {bad = 1} END {exit bad}' || { echo "  $name: $got"; false; }
}
check "unplugged: linux agrees in 95 % and more before, while and after" \
	agrees_on_sides unplugged "0-$((cpus - 1))" "$(all_but 1)" "0-$((cpus - 1))"
check "plugged: linux agrees in 95 % and more before, with both, and after" \
	agrees_on_sides plugged "$(all_but 1)" "0-$((cpus - 1))" "$(all_but 3)"
check "unplugged: nothing is told of a CPU that is back" [ -z "$(ask unplugged \
	"select value from machine_setting where name like 'rewake/changed/%line'")" ]

check "auto: the machine was compared, and no setting, CPU or domain changed" \
	is auto 0 "select sum(name not like '%/task/%' and name not like '%/appeared') - 1 as n
		from machine_setting where name like 'rewake/change%'"
check "gone: the CPU that went is kept" is gone 1 "select value from machine_setting where name = 'rewake/changed/offline'"
check "gone: and told by record" has 'note: the machine changed .*CPU 1 went offline' gone.err
check "gone: and by import" has 'note: gone.dat: the machine changed .*CPU 1 went offline' gone.import
check "gone: the setting that changed is kept" is gone '500000 -> 600000' "select value from machine_setting
	where name like 'rewake/changed/setting/%migration_cost_ns'"
check "gone: the other CPUs' domains are, too" at_least 1 gone "select count(*) from machine_setting
	where name like 'rewake/changed/domains/cpu%'"
check "gone: the affinity of a task that appeared is known" has \
	"\"tid\": $(cat gone.appeared)," gone.machine.json

check "killed: by SIGKILL" status killed 137
check "killed: the recording's clock and time stamps are as without a trigger" \
	has '^\[delta\] absolute' killed.clock
check "killed: its clock is mono" has '\[mono\]' killed.clock
for what in event instance note folder $([ $by = recorder ] || echo synthetic); do
	check "killed: leaves its $what behind" has "^$what " killed.left
done
[ -e no-counts ] || check "killed: leaves its count of queues behind" has '^event rewake_.*/nr$' killed.left
check "next: tells that it removes them" has 'removing' next.err
check "the other tracer's instance and probe are as they were" [ "$(tr '\n' ' ' <other)" = '1 1 ' ]
check "the kernel did not complain" nothing kernel.complaints

cost() { # level: median of what is left of the throughput without a recorder
	awk -v level="$1" '$1 == "off" {off = $2} $1 == level && off > 0 {print 100 * (1 - $2 / off)}' cost | sort -n |
		awk '{v[NR] = $1} END {printf "%.0f %%", v[int((NR + 1) / 2)]}'
}
echo "throughput lost by a ping-pong in this emulated machine, medians of 5: none $(cost none), flags $(cost flags), hidden $(cost hidden)"
echo "agreement of linux: $(ask auto "select printf('%.2f %% of %d decisions', 100.0 * agree / decisions, decisions) from agreement where policy = 'linux'")"
exit $failed
