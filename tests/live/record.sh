#!/bin/bash
# rewake record on the running kernel: what it writes, what it says when
# something is wrong, and that nothing is left behind.
#   tests/live/record.sh REWAKE SOURCE_ROOT
# Needs root and tracefs; exits 77 with a reason where there is none.
set -u
rewake=$(realpath "$1") root=$(realpath "$2")
tracefs=$(awk '$3 == "tracefs" {print $2; exit}' /proc/self/mounts)

skip() { echo "SKIP: $1"; exit 77; }
((EUID == 0)) || skip "not root"
[ -n "$tracefs" ] || skip "tracefs is not mounted"
mkdir "$tracefs/instances/rewake-test-$$" 2>/dev/null || skip "no instances can be made here"
rmdir "$tracefs/instances/rewake-test-$$"
[ -e "$tracefs/events/sched/sched_waking" ] || skip "the kernel has no sched_waking"
command -v trace-cmd >/dev/null || skip "no trace-cmd"

dir=$(mktemp -d) failed=0 name=
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

fail() { echo "FAIL: $name: $1"; sed 's/^/    /' err 2>/dev/null; failed=1; }
begin() { name=$1; echo "case: $name"; }

# A recording that ended well: 0, or 3 when a busy machine lost events (which is then said).
recorded() { [ "$1" = 0 ] || { [ "$1" = 3 ] && grep -q 'lost [1-9]' err; }; }

# run WANTED_STATUS ARGS…: output in out and err; "recorded" as status: see there
run() {
	local want=$1 got
	shift
	"$rewake" "$@" >out 2>err
	got=$?
	if [ "$want" = recorded ]; then
		recorded "$got" || fail "exit status $got"
	else
		[ "$got" = "$want" ] || fail "exit status $got instead of $want"
	fi
}
says() { grep -qF -- "$1" err || fail "does not say: $1"; }
# How much was lost, of which "recorded" has said whether it may be, and where it went.
says_lost() { grep -qE -- "lost [0-9]+ -> $1" err || fail "does not say: lost N -> $1"; }
none() {
	local f
	for f in "$@"; do [ ! -e "$f" ] || fail "$f exists"; done
}
await() { # PID, until it records
	local i of
	for ((i = 0; i < 200; i++)); do
		for of in "$tracefs/instances/rewake-$1"-*; do
			case $of in *-hotplug) continue ;; esac
			# A new instance is on, too, but has no events yet.
			cat "$of/events/sched/sched_switch/enable" 2>/dev/null | grep -qx 1 &&
				cat "$of/tracing_on" 2>/dev/null | grep -qx 1 && return
		done
		sleep 0.05
	done
	fail "recorder $1 does not begin"
}
# What is in the kernel or beside the output of recorders that do not run, a line each
leftovers() {
	local left pid
	for left in /run/rewake/*; do
		[ -L "$left" ] || continue
		pid=${left##*/}
		kill -0 "${pid%%-*}" 2>/dev/null || echo "note $left"
	done
	for left in "$tracefs"/instances/rewake-*; do
		[ -d "$left" ] || continue
		pid=${left##*/rewake-}
		kill -0 "${pid%%-*}" 2>/dev/null || echo "instance $left"
	done
	find . -name '.*.rewake-*' -o -name '*.tmp'
	while read -r left; do
		pid=${left#rewake_}
		kill -0 "${pid%%_*}" 2>/dev/null || echo "probe event $left"
	done < <(sed -n 's/^[^:]*:\(rewake_[^ ]*\).*/\1/p' "$tracefs/dynamic_events" 2>/dev/null)
	while read -r left; do
		pid=${left#rewake_late_}
		kill -0 "${pid%%_*}" 2>/dev/null || echo "synthetic event $left"
	done < <(sed -n 's/.*\(rewake_late_[^\t ]*\).*/\1/p' "$tracefs/synthetic_events" 2>/dev/null)
}
clean() { # somebody else's killed recorder is cleaned up after by their next one, ours would stay
	local i left
	for ((i = 0; i < 20; i++)); do
		left=$(leftovers)
		[ -z "$left" ] && return
		sleep 0.25
	done
	fail "left: $left"
}

# Every event that the kernel says was read is in the file, per CPU.
complete() {
	local dat=$1.dat json=$1.machine.json cpu want got sum=0
	[ -s "$dat" ] && [ -s "$json" ] || { fail "no $dat or $json"; return; }
	grep -q '"rewake/clock": "[a-z]' "$json" || fail "no clock in $json"
	while read -r cpu want; do
		got=$(trace-cmd report --cpu "$cpu" "$dat" 2>/dev/null | grep -c ': \(sched_\|sel\)')
		[ "$got" = "$want" ] || fail "cpu $cpu: $got events in $dat, $want were read"
		((sum += want))
	done < <(sed -n 's/.*"rewake\/stats\/cpu\([0-9]*\)".*read events: \([0-9]*\).*/\1 \2/p' "$json")
	((sum > 0)) || fail "no events in $dat"
	says "recorded $sum events"
}

# Leaves "out", "err" and what the recorder with these arguments has left in "left"
run_looking() { # WANTED_STATUS ARGS…
	local want=$1 got pid
	shift
	touch out err left before
	knobs >before
	"$rewake" "$@" >out 2>err &
	pid=$!
	wait $pid
	got=$?
	[ "$got" = "$want" ] || fail "exit status $got instead of $want"
	{
		ls /run/rewake "$tracefs/instances" 2>/dev/null | grep "^\(rewake-\)\?$pid-"
		grep "rewake_${pid}_" "$tracefs/dynamic_events" 2>/dev/null
		knobs | diff before -
	} >left
	[ ! -s left ] || fail "left something: $(cat left)"
	rm left before
}
knobs() { # of everybody's tracing, and our directory
	(cd "$tracefs" && cat set_event tracing_on trace_clock buffer_size_kb)
	find . | sort
}

sh -c 'exit 0' &
dead_early=$!
wait $dead_early

begin "what the machine offers"
run_looking 0 record --check
for word in rights tracefs events clock buffers 'open files' trace-cmd kprobes fprobes \
	'queue lengths' BTF 'probe level' 'CPU hot-plug' \
	'scheduler debugfs' 'kernel config'; do
	grep -q "^$word  *\(yes\|less\) " out || fail "nothing good about $word"
done
grep -q '^recording works *yes$' out || fail "does not say that it works"
[ $(wc -l <out) -le 24 ] || fail "more than a screen"
[ -e "$tracefs/kprobe_events" ] || grep -q '^kprobes *less *the kernel has no kprobe events' out || fail "says there are kprobes"

begin "what would be enabled"
run_looking 0 record --dry-run -o a -d 0.5 -b 64 --probe=none -- echo ran
grep -q '^instance: .*/instances/rewake-OWNER' out || fail "no instance"
grep -q '^events: .* sched:sched_waking .* sched:sched_switch$' out || fail "no events"
grep -q '^probe: *none$' out || fail "no probe level"
cpus=$(ls -d "$tracefs"/per_cpu/cpu* | wc -l)
grep -q "^buffers: *64 KB on each of $cpus CPUs ([0-9,-]*), $((64 * cpus)) KB in all$" out || fail "no buffers"
grep -q '^ends: *after 0.5 s, when echo ends, at SIGINT' out || fail "no end"
grep -q '^files: *a.dat, a.machine.json;' out || fail "no files"
grep -q '^rate: *about [1-9][0-9]* events/s, .* estimate from [1-9][0-9]* context switches .* without echo$' out || fail "no rate"
grep -q '^missing:' out || fail "says nothing of what is missing"
if grep -qx ran out; then fail "ran the command"; fi
run 0 record --dry-run -o none/a
grep -q '^missing: *directory of the output (needed)' out || fail "does not see that the directory is missing"
grep -q '^probe: *none' out && grep '^hot-plug:' out | grep -q probe && fail "promises a probe where there is none"
if [ ! -e "$tracefs/kprobe_events" ]; then
	run 4 record --dry-run --probe=flags
	says "no probe of level flags here: why=the kernel has no kprobe events"
fi

begin "fixed duration"
start=$(date +%s%N)
run recorded record -o a -d 0.5
(($(date +%s%N) - start >= 500000000)) || fail "too short"
says_lost "a.dat, a.machine.json"
complete a
# No CPU comes or goes here; that nobody watches, for want of something in the kernel, is said.
online=$(cat /sys/devices/system/cpu/online)
{ grep -q '"rewake/hotplug/rows": ""' a.machine.json && grep -qF '"rewake/hotplug/begin": "'"$online"'\n"' a.machine.json &&
	grep -qF '"rewake/hotplug/end": "'"$online"'\n"' a.machine.json; } || grep -q '"rewake/hotplug/why": "[a-z]' a.machine.json ||
	fail "CPUs that come and go were not watched"
trace-cmd dump --options a.dat | grep -q "\"$(sed -n 's/.*"rewake\/clock": "\([a-z]*\).*/\1/p' a.machine.json)\" \[clock\]" ||
	fail "the file names another clock than the sidecar"
clean

begin "a command, and a name with .dat"
run recorded record -o b.dat -d 20 -- "$root/samples/load.sh" 1 1
complete b
grep -q 'round trips' out || fail "the command's output is gone"
trace-cmd report b.dat 2>/dev/null | grep -q sched_waking || fail "no sched_waking"
clean

begin "packed"
run recorded record -o z --compress=zstd -d 20 -- "$root/samples/load.sh" 1 1
complete z
grep -q 'not packed' err && fail "it is not"
"$rewake" import -q z.dat -o z.db 2>err || [ $? = 3 ] || fail "cannot be imported"
"$rewake" query z.db 'select format from run' | grep -q '(zstd)' || fail "not packed with zstd"
run recorded record -o z --compress=zstd:1 --cpu 0 -d 0.1
run 2 record -o h --compress=lzma
run 2 record -o h --compress=zstd:20
rm -f z.*
clean

begin "other events"
run recorded record -o v -d 20 -- sh -c /bin/true
grep -q '"rewake/events": "sched:sched_process_fork sched:sched_process_exec sched:sched_process_exit' v.machine.json || fail "not in the sidecar"
trace-cmd report v.dat 2>/dev/null | grep -q 'sched_process_exec: .*/bin/true' || fail "no exec"
run recorded record -o v -d 20 --events none -- sh -c /bin/true
trace-cmd report v.dat 2>/dev/null | grep -q 'sched_process' && fail "not asked for"
if [ -e "$tracefs/events/power/cpu_idle" ]; then
	run 0 record --dry-run -o v --events cpu-idle
	grep -q '^also: *power:cpu_idle$' out || fail "a dry run does not tell"
	run recorded record -o v -d 0.1 --events task,cpu-idle
	"$rewake" import -q v.dat -o v.db 2>err || [ $? = 3 ] || fail "cannot be imported"
fi
if [ ! -e "$tracefs/events/csd/csd_queue_cpu" ]; then
	run 4 record -o h -d 20 --events csd
	says "missing=csd:csd_queue_cpu"
fi
run 2 record -o h -d 20 --events task,nr-running --cpu 0
says "not with --cpu, --pid, --cgroup or --comm"
run 2 record -o h --events nr-running --comm sh
if grep -q '^\s*t\[:\[<group>/\]\[<event>\]\] <tracepoint>' "$tracefs/README"; then
	run 0 record --dry-run -o v --events nr-running
	grep -q '^also: *rewake:nr$' out || fail "a dry run does not tell"
	run recorded record -o v -d 0.3 --events nr-running --probe=none
	grep -q '"rewake/probe/events": "t:rewake/nr sched_update_nr_running_tp ' v.machine.json || fail "no definition"
	"$rewake" import -q v.dat -o v.db 2>err || [ $? = 3 ] || fail "cannot be imported"
	[ "$("$rewake" query v.db --format csv 'select count(*) > 0 from nr_running' | tail -1 | tr -d '\r')" = 1 ] || fail "no counts"
else
	run 4 record --dry-run -o h --events nr-running
	run 4 record -o h -d 20 --events nr-running
	says "missing=rewake:nr why=the kernel has no tracepoint probes"
fi
run 2 record -o h --events everything
none h.dat
rm -f v.*
clean

begin "the command's status and signal are told and passed on"
run 7 record -o c -- sh -c 'exit 7'
says "exited with status 7"
complete c
run 137 record -o c -- sh -c 'kill -9 $$'
says "ended by signal 9"
complete c
run 7 analyze -o c.db -p recorded -- sh -c 'exit 7'
[ -s c.db ] && grep -q 'Policies against the kernel' out || fail "no analysis of a command that failed"
rm -f sh.dat sh.machine.json
clean

begin "a command that forks and exits early"
rm -f c.*
run 5 record -o c -d 20 -- sh -c 'sleep 60 >/dev/null 2>&1 & echo $!; exit 5'
grep -q '"rewake/end": "command' c.machine.json || fail "does not say that the command ended it"
complete c
kill "$(cat out)" 2>/dev/null || fail "what the command left running was ended"
clean

begin "a command that outlives the duration is ended"
run recorded record -o c -d 0.2 -- sleep 60
says "ended by signal 15"
complete c
clean

begin "an archive through a pipe"
rm -f s.*
"$rewake" record -o - --events none -d 20 -- "$root/samples/load.sh" 1 1 2>err | "$rewake" import -q - -o s.db 2>err2
got=("${PIPESTATUS[@]}")
recorded "${got[0]}" || fail "exit status ${got[0]}"
[ "${got[1]}" = 0 ] || [ "${got[1]}" = 3 ] || fail "import: exit status ${got[1]}: $(cat err2)"
said=$(sed -nE 's/^recorded ([0-9]+) events.*-> standard output, [0-9]+ bytes$/\1/p' err)
sum=$("$rewake" query s.db 'select sum(nr_events) from run_cpu' --format csv | tail -1 | tr -d '\r')
[ -n "$said" ] && [ "$said" = "$sum" ] || fail "$sum events arrived, recorded were ${said:-?}"
says 'round trips' # what the command prints is not in the archive
clean

begin "an archive, packed, with a flight recorder, into a named pipe"
mkfifo pipe
cat pipe >s.tar.zst &
run recorded record -o pipe --compress=zstd:1 --flight 1M -- "$root/samples/load.sh" 1 1
wait $!
zstd -qt s.tar.zst 2>err2 || fail "not packed: $(cat err2)"
"$rewake" import -q -f s.tar.zst -o s.db 2>err2 || [ $? = 3 ] || fail "import: $(cat err2)"
rm -f s.* pipe
clean

begin "whoever receives the archive goes away, or does not take it"
"$rewake" record -o - -d 20 2>err | head -c 3000 >s.tar
[ "${PIPESTATUS[0]}" = 1 ] || fail "exit status"
says "whoever received the recording is gone"
run 1 import s.tar -o s.db
clean
mkfifo pipe
sleep 30 <pipe &
pid=$!
# The formats alone are more than a pipe holds.
"$rewake" record -o pipe --flight 1M >out 2>err &
recorder=$!
for ((i = 0; i < 200; i++)); do
	ls -d "$tracefs/instances/rewake-$recorder"-* >/dev/null 2>&1 && break
	sleep 0.05
done
for ((i = 0; i < 100; i++)); do
	kill -INT $recorder 2>/dev/null || break
	sleep 0.1
done
wait $recorder
[ $? = 1 ] || fail "exit status of one that was stopped twice"
says "stopped "
kill $pid 2>/dev/null
rm -f s.* pipe
clean
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	script -qec "$rewake record -o - -d 0.1" /dev/null >out 2>/dev/null </dev/null
	[ $? = 2 ] || fail "exit status with a terminal"
	grep -q 'the output is a terminal' out || fail "does not refuse a terminal"
fi

for sig in INT TERM HUP QUIT; do
	begin "SIG$sig"
	rm -f d.*
	"$rewake" record -o d >out 2>err &
	pid=$!
	await $pid
	sleep 0.1
	kill -$sig $pid
	wait $pid
	got=$?
	recorded $got || fail "exit status $got"
	complete d
	clean
done

begin "SIGTERM during a command"
"$rewake" record -o d -- sleep 60 >out 2>err &
pid=$!
for ((i = 0; i < 100; i++)); do
	pgrep -P $pid sleep >/dev/null && break
	sleep 0.05
done
kill -TERM $pid
wait $pid; recorded $? || fail "exit status of a recorder"
complete d
pgrep -P $pid && fail "the command still runs"
clean

begin "two at once"
"$rewake" record -o e -d 0.5 >out2 2>err2 &
pid=$!
run recorded record -o f -d 0.5
complete f
wait $pid
got=$?
cp err2 err
recorded $got || fail "the other one: exit status $got"
complete e
clean

begin "loss is counted, told and stored"
run 3 record -o g -b 16 -- "$root/samples/load.sh" 1 4
says "lost"
says "larger -b"
grep -q '"rewake/stats/cpu[0-9]*": ".*overrun: [1-9]' g.machine.json || fail "not in the sidecar"
run 3 import -q g.dat -o g.db
says "events were lost"
"$rewake" query g.db 'select sum(overrun + dropped) > 0 as known from run_cpu' --format csv | tr -d '\r' | grep -qx 1 ||
	fail "the sidecar's counters are not in the run"
clean

begin "when events were lost is stored"
read -r cpu rows < <(sed -n 's/.*"rewake\/loss\/cpu\([0-9]*\)": "\(.*\)\\n".*/\1 \2/p' g.machine.json)
[ -n "$rows" ] || fail "no rows"
want=$(sed -n "s/.*\"rewake\/stats\/cpu$cpu\".*noverrun: \([0-9]*\).*/\1/p" g.machine.json)
printf '%b\n' "$rows" | awk -v want="$want" '
	NF != 5 || $1 >= $2 || $1 < to || $3 + $4 + $5 == 0 {print "bad row: " $0; bad = 1}
	{to = $2; sum += $3}
	END {if (sum != want) {print "sum " sum ", counted " want; bad = 1}; exit bad}' >out || fail "$(cat out)"
"$rewake" query g.db "select count(*) from machine_setting where name = 'rewake/loss/cpu$cpu'" --format csv |
	tr -d '\r' | grep -qx 1 || fail "not in the database"

begin "a recorder that cannot keep up stalls nobody"
"$rewake" record -o s -b 64 >out 2>err &
pid=$!
await $pid
kill -STOP $pid
"$root/samples/load.sh" 1 1 >load
kill -CONT $pid
sleep 0.3
kill -INT $pid
wait $pid
got=$?
[ $got = 3 ] || fail "exit status $got"
grep -q ' [1-9][0-9]* round trips' load || fail "the load stood still: $(cat load)"
grep -q '"rewake/loss/cpu[0-9]*": "[0-9]' s.machine.json || fail "when it was is not stored"
complete s
rm -f s.* load
clean

begin "as much as --max-size allows"
for size in 1 8; do
	"$rewake" record -o s -d 20 --max-size ${size}M -- "$root/samples/load.sh" 5 2 >out 2>err
	got=$?
	[ $got = 0 ] || [ $got = 3 ] || fail "size $size: exit status $got"
	says "ended early, at --max-size"
	grep -q '"rewake/end": "size' s.machine.json || fail "the sidecar does not say why it ended"
	whole=$(stat -c %s s.dat)
	((whole <= (size << 20) + (256 << 10))) || fail "size $size: $whole bytes in s.dat"
	((whole >= (size << 20) / 2)) || fail "size $size: only $whole bytes in s.dat"
	complete s
	rm -f s.db
	"$rewake" import -q s.dat -o s.db 2>err || [ $? = 3 ] || fail "cannot be imported"
	if grep -q '"rewake/unread": "[1-9]' s.machine.json; then [ $got = 3 ]; else [ $got = 0 ] || grep -q lost err; fi ||
		fail "exit status $got does not tell what was left out"
	clean
done
rm s.*
run 2 record -o h --max-size 10
says "not a size from 1M on"
run 2 record -o h --max-size much
none h.dat

begin "only some CPUs"
last=$({ cat /sys/devices/system/cpu/present || grep -c ^processor /proc/cpuinfo | awk '{print $1 - 1}'; } 2>/dev/null |
	sed 's/.*[-,]//') # a container may have no /sys
rm -f s.*
run recorded record -o s --cpu "$last" -d 1 -- taskset -c "$last" "$root/samples/load.sh" 1 1
says " KB on each of 1 CPUs"
complete s
grep -q '"rewake/filter": "cpus: '"$last"'.nunknown: what other CPUs ran' s.machine.json || fail "the sidecar does not say so"
trace-cmd report s.dat 2>/dev/null | grep -v "^cpus=\|\[0*$last\]" | grep -q . && fail "events of other CPUs"
run 3 import s.dat -o s.db
says "recorded with a filter"
says "unknown: what other CPUs ran and whether they were idle"
"$rewake" query s.db "select count(*) from machine_setting where name = 'rewake/filter'" --format csv |
	tr -d '\r' | grep -qx 1 || fail "not in the database"
run 1 record -o h --cpu $((last + 1)) -d 20
says "this machine has no CPU $((last + 1)) to record"
run 2 record -o h --cpu ""
run 2 record -o h --cpu all
says "not a list of CPUs"
clean

begin "only one process and its children"
rm -f s.*
(while :; do sh -c "sleep 0.02; exec tr a b </dev/null"; done) &
family=$!
run recorded record -o s --pid $family -d 0.5
{ kill $family && wait $family; } 2>/dev/null
complete s
grep -q '"rewake/filter": "pid: '"$family"'.nunknown: ' s.machine.json || fail "the sidecar does not say so"
trace-cmd report s.dat 2>/dev/null >report
grep -q "sched_wakeup_new: .*:[0-9]" report || fail "no child was born"
grep -q ' tr-[0-9]' report || fail "a grandchild that came later is missing"
# Every waking has a waker or a wakee of the family, whose ids are not below the first one's.
grep sched_waking: report | sed 's/^ *.*-\([0-9]*\) *\[.* pid=\([0-9]*\) .*/\1 \2/' |
	awk -v first="$family" '$1 < first && $2 < first {print; bad = 1} END {exit bad}' >out || fail "others: $(head -1 out)"
run 3 import s.dat -o s.db
says "recorded with a filter"
run 1 record -o h --pid $dead_early -d 20
says "cannot record process $dead_early: why=there is none"
run 1 record --dry-run --pid $dead_early
run 2 record -o h --pid me
run 0 record --dry-run --cpu "$last" --pid $$
grep -q "^filter: *cpus: $last" out && grep -q "^filter: *pid: $$" out && grep -q '^filter: *unknown: ' out ||
	fail "a dry run does not tell of the filter"
none h.dat
rm -f s.* report
clean

begin "only one control group"
rm -f s.*
for group in "$(awk '$3 == "cgroup2" {print $2; exit}' /proc/self/mounts)" "$(awk '$3 == "cgroup" && $4 ~ /,cpu(,|$)/ {print $2; exit}' /proc/self/mounts)"; do
	group=$group/rewake-test-$$
	{ [ "$group" != "/rewake-test-$$" ] && mkdir "$group"; } 2>/dev/null || continue
	(while :; do sh -c "sleep 0.02; exec tr a b </dev/null"; done) &
	family=$!
	if echo $family >"$group/cgroup.procs"; then
		run recorded record -o s --cgroup "$group" -d 0.5
		complete s
		grep -q '"rewake/filter": "cgroup: '"$group"'.nunknown: ' s.machine.json || fail "the sidecar does not say so"
		trace-cmd report s.dat 2>/dev/null | grep -q ' tr-[0-9]' || fail "a child that came later is missing"
	fi
	{ kill $family && wait $family; } 2>/dev/null
	for ((i = 0; i < 40; i++)); do rmdir "$group" 2>/dev/null && break; sleep 0.1; done
	clean
done
run 1 record -o h --cgroup "/rewake-test-$$" -d 20
says "cannot record control group"
none h.dat
clean

begin "only tasks of a name"
rm -f s.*
ln -s /bin/bash rewake-named
mkfifo nothing
./rewake-named -c 'while :; do read -rt 0.01 <>nothing; done' &
family=$!
run recorded record -o s --comm 'rewake-nam*' -d 0.5
{ kill $family && wait $family; } 2>/dev/null
complete s
trace-cmd report s.dat 2>/dev/null | grep -v 'cpus=' | grep -v rewake-named && fail "others"
run 3 import s.dat -o s.db
says "recorded with a filter"
run 2 record -o h --comm 'a"b'
run 2 record -o h --comm 'longer than any name'
run 2 record -o h --pid 1,,2
rm -f s.* rewake-named nothing
clean

begin "a flight recorder keeps the last part"
run recorded record -o s --flight 1M -- "$root/samples/load.sh" 1 2
says "kept the last 0."
says_lost "s.dat"
complete s
(($(stat -c %s s.dat) <= (1 << 20) + (256 << 10))) || fail "more than a megabyte"
read -r from kept < <(sed -n 's/.*"rewake\/flight": "from_ns: \([0-9]*\)\\nkept_ns: \([0-9]*\).*/\1 \2/p' s.machine.json)
[ "${from:-0}" -gt 0 ] && [ "${kept:-0}" -gt 0 ] || fail "the sidecar does not say what was kept"
run 0 import s.dat -o s.db
says "kept by a flight recorder"
# Every CPU with events begins at that moment or before, and one exactly there (it is in microseconds).
"$rewake" query s.db "select max(first_ts) - $from between -1000 and 1000 as ok, max(overrun) from run_cpu" --format csv |
	tr -d '\r' | grep -qx 1,0 || fail "does not begin where it says"
clean

begin "a flight recorder writes at SIGUSR1"
rm -f s.*
"$rewake" record -o s --flight 1 >out 2>err &
pid=$!
await $pid
sleep 0.3
none s.dat
kill -USR1 $pid
wait $pid; recorded $? || fail "exit status of a recorder"
says "kept the last "
says ", all of it"
grep -q '"rewake/end": "stopped' s.machine.json || fail "does not say why it ended"
complete s
clean

begin "a flight recorder that a late wakeup ends"
rm -f s.*
one=$(awk '/^Cpus_allowed_list/ {split($2, c, /[-,]/); print c[1]}' /proc/self/status)
taskset -c "$one" bash -c 'while :; do :; done' &
busy=$!
# Only runs when nobody else wants to.
chrt -i 0 taskset -c "$one" bash -c 'while sleep 0.02; do :; done' &
patient=$!
run recorded record -o s --flight 8M --trigger 'wakeup-latency>8ms' --after 200ms -d 60
kill $busy $patient
wait $busy $patient 2>/dev/null
# Where the kernel can decide, it does; else it is said why not.
if [ -e "$tracefs/synthetic_events" ] && [ -e "$tracefs/events/sched/sched_switch/hist" ]; then
	by=kernel
	says "trigger: decided by the kernel: histogram triggers and a synthetic event"
else
	by='recorder\\nwhy: the kernel has no .*'
	says "trigger: decided by the recorder, which reads two events once more, ten times a second"
	says "(CONFIG_"
fi
says "the trigger fired at "
grep -q "\"rewake/trigger\": \"wakeup-latency>8000000ns\\\\nby: $by\\\\ngaps: " s.machine.json || fail "the sidecar does not say who decided"
grep -q '"rewake/end": "trigger' s.machine.json || fail "does not say why it ended"
complete s
read -r tid latency < <(sed -n 's/.*"rewake\/trigger": "wakeup-latency>8000000ns.*latency_ns: \([0-9]*\)\\ntid: \([0-9]*\).*/\2 \1/p' s.machine.json)
[ "${latency:-0}" -gt 8000000 ] || fail "fired at ${latency:-?} ns"
"$rewake" import -q s.dat -o s.db 2>err || [ $? = 3 ] || fail "cannot be imported"
says "ended by its trigger at "
# The recording has it, too, as its own time stamps see it.
"$rewake" query s.db "select max(run_dur) > 4000000 as late from wakeup w join task t on t.run_id = w.run_id and t.utid = w.wakee_utid
	where t.tid = $tid" --format csv 2>err | tr -d '\r' | tail -1 | grep -qx 1 || fail "task $tid was not late there"
clean
"$rewake" record -o s --flight 1M --trigger 'wakeup-latency>60s' 2>/dev/null &
pid=$!
await $pid
{ kill -9 $pid && wait $pid; } 2>/dev/null
run recorded record -o l --flight 1M --trigger 'wakeup-latency>60s' -d 0.2
says "left: trace instance rewake-$pid-"
[ "$by" != kernel ] || says "left: synthetic event synthetic/rewake_late_${pid}_"
grep -q '"rewake/trigger": ".*fired_ns: never' l.machine.json || fail "does not say that it did not fire"
clean
run 2 record -o h --trigger 'wakeup-latency>5ms'
run 2 record -o h --flight 1M --trigger 'wakeup-latency>5ms; reboot'
says "not wakeup-latency>TIME"
run 2 record -o h --flight 1M --after 5
none h.dat
rm -f s.*

begin "a flight recorder whose buffers are too small says so"
rm -f s.*
run 3 record -o s --flight 20 -b 16 -d 1 -- "$root/samples/load.sh" 1 2
says "less than --flight asked for"
complete s
"$rewake" record -o s --flight 1 2>/dev/null &
pid=$!
await $pid
{ kill -9 $pid && wait $pid; } 2>/dev/null
run recorded record -o l -d 0.1
says "removing what a killed recorder (pid $pid) left: trace instance"
rm -f s.*
clean
run 1 record -o h --flight 99999G
says "more than half of the memory"
run 2 record -o h --flight 5 --max-size 5M
run 2 record -o h --flight 5M -b 64
run 2 record -o h --flight long
run 0 record --dry-run --flight 8M
grep -q '^keeps: *what the buffers hold in the end: about [0-9]' out || fail "does not say how long that is"
grep -q ' 8192 KB in all' out || [ "$(nproc)" -gt 8 ] || fail "not the size that was asked for"
none h.dat

begin "what the probe became is told and stored"
run recorded record -o p -d 0.3
complete p
level=$(sed -n 's/.*"rewake\/probe\/level": "\([a-z]*\)\\n".*/\1/p' p.machine.json)
grep -q '"rewake/probe/asked": "auto\\n"' p.machine.json || fail "not what was asked for"
if [ ! -e "$tracefs/kprobe_events" ]; then
	[ "$level" = none ] || fail "level $level without kprobes"
	says "probe: none: not flags: the kernel has no kprobe events"
	grep -q '"rewake/probe/why": "not flags: the kernel has no kprobe events\\n"' p.machine.json ||
		fail "the reason is not stored"
	for p in flags hidden state; do
		rm -f q.*
		run 4 record -o q -d 20 --probe=$p
		says "no probe of level $p here: why=the kernel has no kprobe events"
		none q.dat q.machine.json
	done
	run recorded record -o q -d 0.1 --probe=none
	if grep -q 'probe:' err; then fail "explains what was asked for"; fi
else
	case $level in
	flags) says "probe: flags: not hidden: " ;;
	hidden) ;;
	*) fail "level $level though there are kprobes" ;;
	esac
	grep -q '"rewake/probe/events": "p:rewake/sel ' p.machine.json || fail "no definition"
	trace-cmd report p.dat 2>/dev/null | grep -q ' sel: .* prev=.* wf=' || fail "no probe events"
	"$rewake" dump p.dat | grep -q 'rewake:sel_ret' || fail "not understood"
fi
clean

# A name that a recorder of this boot and PID namespace would have: PID, START
boot=$(cut -c1-8 /proc/sys/kernel/random/boot_id) ns=$(stat -Lc %i /proc/self/ns/pid)
owner() { echo "$1-$2-$ns-$boot"; }
start_of() { sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f20; }
sh -c 'exit 0' &
dead=$!
wait $dead

begin "what changed meanwhile is told and stored"
cpus=$(awk '/^Cpus_allowed_list/ {print $2}' /proc/self/status)
one=${cpus%%[-,]*}
sleep 60 &
sleeper=$!
run recorded record -o changed -- sh -c "taskset -cp $one $sleeper >/dev/null; sleep 60 & sleep 0.3"
if [ "$cpus" != "$one" ]; then
	grep -q "\"rewake/changed/task/$sleeper\": \"allowed $cpus -> $one" changed.machine.json ||
		fail "no change of affinity in the sidecar"
	grep -q '"rewake/changes": "[1-9]' changed.machine.json || fail "no count of changes"
	says "the machine changed while it was recorded"
	"$rewake" import -q -f changed.dat -o changed.db 2>err
	says "changed.dat: the machine changed while it was recorded"
fi
appeared=$(sed -n 's/.*"rewake\/changed\/appeared": "\([0-9\\n]*\)".*/\1/p' changed.machine.json | sed 's/\\n/ /g')
[ -n "$appeared" ] || fail "the command's child appeared, but is not named"
for tid in $appeared; do
	grep -q "\"tid\": $tid," changed.machine.json || fail "nothing is known of task $tid, which appeared"
done
kill $sleeper
clean

begin "what a killed recorder left goes with the next one"
"$rewake" record -o k -d 20 2>/dev/null &
pid=$!
await $pid
{ kill -9 $pid && wait $pid; } 2>/dev/null
ls "$tracefs/instances" | grep -q "^rewake-$pid-" || fail "nothing was left to test with"
ls -A | grep -q "^\.k\.dat\.rewake-$pid-" || fail "no work directory was left to test with"
run recorded record -o l -d 0.1
says "removing what a killed recorder (pid $pid) left: trace instance rewake-$pid-"
says "removing what a killed recorder (pid $pid) left: work directory ./.k.dat.rewake-$pid-"
none k.dat
complete l
clean

begin "what it left elsewhere goes, too"
mkdir elsewhere
"$rewake" record -o elsewhere/k -d 20 2>/dev/null &
pid=$!
await $pid
{ kill -9 $pid && wait $pid; } 2>/dev/null
ls -A elsewhere | grep -q "^\.k\.dat\.rewake-$pid-" || fail "no work directory was left to test with"
run recorded record -o l -d 0.1
says "removing what a killed recorder (pid $pid) left: work directory $dir/elsewhere/.k.dat.rewake-$pid-"
rmdir elsewhere || fail "not empty: elsewhere"
clean

begin "only what is surely left goes"
mine=$(owner $$ "$(start_of $$)")
other=$(owner $dead 1)
mkdir -m 700 ".a.dat.rewake-$mine-abcdef" ".b.dat.rewake-$other-abcdef" \
	".c.dat.rewake-${other%-*}-00000000-abcdef" ".rewake-$other"
mkdir -m 755 ".d.dat.rewake-$other-abcdef"
mkdir "$tracefs/instances/rewake-$mine" "$tracefs/instances/rewake-$other" \
	"$tracefs/instances/rewake-$other-more"
run recorded record -o l -d 0.1
[ -d ".a.dat.rewake-$mine-abcdef" ] || fail "removed a living recorder's directory"
none ".b.dat.rewake-$other-abcdef" "$tracefs/instances/rewake-$other"
[ -d ".c.dat.rewake-${other%-*}-00000000-abcdef" ] || fail "removed another boot's directory"
says "left alone: work directory ./.c.dat.rewake-${other%-*}-00000000-abcdef"
[ -d ".d.dat.rewake-$other-abcdef" ] || fail "removed a directory that others can write to"
says "cannot remove the work directory ./.d.dat.rewake-$other-abcdef: not safely ours"
[ -d ".rewake-$other" ] || fail "removed what has another name"
[ -d "$tracefs/instances/rewake-$mine" ] || fail "removed a living recorder's instance"
[ -d "$tracefs/instances/rewake-$other-more" ] || fail "removed an instance of another name"
rmdir "$tracefs/instances/rewake-$mine" "$tracefs/instances/rewake-$other-more" ".a.dat.rewake-$mine-abcdef" \
	".c.dat.rewake-${other%-*}-00000000-abcdef" ".d.dat.rewake-$other-abcdef" ".rewake-$other"
clean

if [ -w "$tracefs/uprobe_events" ]; then
	begin "probe events that were left, even switched on, and others'"
	# On a file that nobody runs: the kernel writes a breakpoint into every copy in memory.
	cp /bin/true probed
	add() { echo "p:$1/sel $dir/probed:0x1000" >>"$tracefs/uprobe_events"; }
	gone=rewake_$(owner $dead 1 | tr - _) mine=rewake_$(owner $$ "$(start_of $$)" | tr - _)
	if add "$gone" 2>/dev/null; then
		add "$mine"
		add "${gone}x"
		add "my$gone"
		mkdir "$tracefs/instances/rewake-$(owner $dead 1)" "$tracefs/instances/others-$$"
		echo 1 >"$tracefs/instances/rewake-$(owner $dead 1)/events/$gone/sel/enable"
		echo 1 >"$tracefs/instances/others-$$/events/$gone/sel/enable"
		run recorded record -o l -d 0.1
		says "removing what a killed recorder (pid $dead) left: probe event $gone/sel"
		left=$(sed -n 's/^[^:]*:\([^ ]*\).*/\1/p' "$tracefs/dynamic_events" | grep rewake_ | sort | xargs)
		[ "$left" = "$(printf '%s\n' "$mine/sel" "${gone}x/sel" "my$gone/sel" | sort | xargs)" ] ||
			fail "left: $left"
		for e in "$mine" "${gone}x" "my$gone"; do echo "-:$e/sel" >>"$tracefs/uprobe_events"; done
		rmdir "$tracefs/instances/others-$$"
	else
		echo "    skipped: no uprobe events can be made"
	fi
	clean
fi

begin "killed at twenty moments"
for ((i = 0; i < 20; i++)); do
	"$rewake" record -o k$i -d 20 2>/dev/null &
	pid=$!
	sleep "0.$(printf %03d $((i * 37 % 500 + 5)))"
	kill -9 $pid
	wait $pid 2>/dev/null
done
run recorded record -o l -d 0.1
clean

begin "interrupted at twenty moments"
for ((i = 0; i < 20; i++)); do
	"$rewake" record -o i$i -d 20 2>err &
	pid=$!
	sleep "0.$(printf %03d $((i * 41 % 500 + 5)))"
	kill -INT $pid
	wait $pid
	got=$?
	if [ -e i$i.dat ]; then
		recorded $got || fail "exit status $got"
		"$rewake" import -q i$i.dat -o i$i.db 2>err
		got=$?
		[ $got = 0 ] || [ $got = 3 ] || fail "import: exit status $got"
	elif [ $got = 1 ]; then
		says "stopped before the recording began"
	else
		# Nothing had begun that there could be a message about.
		[ $got = 130 ] || fail "exit status $got"
	fi
done
clean

begin "nobody reads the messages"
"$rewake" record -o l -d 0.2 2>&1 >/dev/null | true
complete_quietly() { [ -s "$1.dat" ] && [ -s "$1.machine.json" ] || fail "no $1.dat"; }
complete_quietly l
clean

begin "files may not be large"
rm -f h.*
(ulimit -f 100; exec "$rewake" record -o h -d 20 -- "$root/samples/load.sh" 1 2) >out 2>err
got=$?
[ $got = 1 ] || fail "exit status $got"
says "File too large"
none h.dat h.machine.json
clean

begin "few files may be open"
rm -f h.*
(ulimit -Sn 8; exec "$rewake" record -o h -d 0.1) >out 2>err
recorded $? || fail "exit status with a limit that may be raised"
complete h
rm -f h.*
(ulimit -Sn 8; ulimit -Hn 8; exec "$rewake" record -o h -d 0.1) >out 2>err
[ $? = 1 ] || fail "exit status with one that may not"
says "raise the limit of open files"
none h.dat h.machine.json
clean

begin "no such command"
run 127 record -o h -- /nonexistent/command
says "command not found"
run 127 record -o h -- nonexistent-command-of-rewake
says "command not found"
echo text >plain
run 126 record -o h -- ./plain
says "Permission denied"
printf '#!/nonexistent/interpreter\n' >script
chmod +x script
run 127 record -o h -- ./script
says "No such file"
none h.dat h.machine.json
clean

begin "no such directory"
run 1 record -o none/h -d 0.1
says "No such file or directory"
none none
clean

begin "a directory as output"
mkdir -p taken.dat
run 1 record -o taken -d 20
says "names a directory"
run 2 record -o ./ -d 20
rmdir taken.dat
clean

begin "wrong use"
run 2 record -o "" -d 1
says "names no file"
run 2 record -o h -d soon
run 2 record -o h -d 0
run 2 record -o h -b 1
run 2 record -o h -b 99999999999
run 2 record -o h --probe=some
says "not one of none, flags, hidden, state, auto"
run 2 record --no-such-option
run 0 record --help
grep -q 'usage: rewake record' out || fail "no help"
none h.dat
clean

begin "no trace-cmd"
mkdir empty
PATH=$dir/empty run 1 record -o h -d 0.1
says "install the package trace-cmd"
PATH=$dir/empty run 1 record --check
grep -q '^trace-cmd *NO .*install the package' out || fail "check does not say it"
PATH=$dir/empty run 1 record --dry-run -o h
grep -q '^missing: *trace-cmd (needed): ' out || fail "dry run does not say it"
none h.dat
clean

begin "trace-cmd that fails"
mkdir fake
printf '#!/bin/sh\necho it broke\nexit 0\n' >fake/trace-cmd
chmod +x fake/trace-cmd
PATH=$dir/fake:$PATH run 1 record -o h -d 0.1
says "it broke"
none h.dat h.machine.json
clean

begin "not root"
chmod 777 . # the directory is not what should be in the way
setpriv --reuid=65534 --regid=65534 --clear-groups "$rewake" record -o h -d 0.1 >out 2>err
got=$?
[ $got = 1 ] || fail "exit status $got"
says "needs root"
for how in --check --dry-run; do
	setpriv --reuid=65534 --regid=65534 --clear-groups "$rewake" record $how >out 2>err
	got=$?
	[ $got = 1 ] || fail "$how: exit status $got"
	grep -q 'uid 65534; without CAP_DAC_OVERRIDE' out || fail "$how: does not say what is missing"
	grep -q 'tracefs.*needs root' out || fail "$how: does not say that tracefs is closed"
done
none h.dat
clean

if unshare -m true 2>/dev/null; then
	begin "no tracefs"
	unshare -m sh -c "while umount '$tracefs' 2>/dev/null; do :; done
		grep -q ' tracefs ' /proc/self/mounts && exit 50
		'$rewake' record -o h -d 0.1" >out 2>err
	got=$?
	if [ $got = 50 ]; then
		echo "    skipped: tracefs cannot be unmounted"
	else
		[ $got = 1 ] || fail "exit status $got"
		says "mount -t tracefs"
		unshare -m sh -c "while umount '$tracefs' 2>/dev/null; do :; done
			'$rewake' record --check" >out 2>err
		got=$?
		[ $got = 1 ] || fail "check: exit status $got"
		grep -q '^tracefs *NO .*mount -t tracefs' out || fail "check does not say it"
	fi
	clean

	begin "events that the kernel lacks"
	unshare -m sh -c "mount -t tmpfs none '$tracefs/events/sched/sched_waking' &&
		mount -t tmpfs none '$tracefs/events/sched/sched_switch' || exit 50
		'$rewake' record -o h -d 0.1" >out 2>err
	got=$?
	[ $got = 4 ] || fail "exit status $got"
	says "missing=sched_waking,sched_switch"
	unshare -m sh -c "mount -t tmpfs none '$tracefs/events/sched/sched_waking' || exit 50
		'$rewake' record --check" >out 2>err
	got=$?
	[ $got = 4 ] || fail "check: exit status $got"
	grep -q '^events *NO .*missing=sched_waking$' out || fail "check does not say which event"
	none h.dat
	clean

	begin "files of tracefs that are optional"
	# What nothing can be read of, in the place of files that this or another kernel may lack.
	for file in printk_formats saved_cmdlines events/header_event error_log kprobe_events kprobe_profile \
		dynamic_events uprobe_events synthetic_events trace_clock options per_cpu; do
		[ -e "$tracefs/$file" ] || continue
		rm -f h.*
		unshare -m bash -c "if [ -d '$tracefs/$file' ]; then mount -t tmpfs none '$tracefs/$file'
			else mount --bind /dev/null '$tracefs/$file'; fi || exit 50
			'$rewake' record -o h -d 0.1" >out 2>err
		recorded $? || fail "without $file"
		complete h
		clean
	done
	# And a trigger, of which the kernel then takes nothing.
	if [ -e "$tracefs/synthetic_events" ]; then
		unshare -m bash -c "mount --bind /dev/null '$tracefs/synthetic_events' || exit 50
			'$rewake' record -o h --flight 1M --trigger 'wakeup-latency>60s' -d 0.2" >out 2>err
		recorded $? || fail "without synthetic_events"
		says "trigger: decided by the recorder"
		says "the kernel refused: the kernel made no synthetic event"
		clean
	fi
	rm -f h.*
	# Without these no trace.dat can be read: better said before than found out afterwards.
	for file in events/header_page events/ftrace; do
		unshare -m bash -c "if [ -d '$tracefs/$file' ]; then mount -t tmpfs none '$tracefs/$file'
			else mount --bind /dev/null '$tracefs/$file'; fi || exit 50
			'$rewake' record -o h -d 20" >out 2>err
		got=$?
		[ $got = 4 ] || fail "without $file: exit status $got"
		says "missing=$file"
		none h.dat h.machine.json
	done
	clean

	begin "a disk that fills ends the recording, which is complete"
	rm -f h.*
	mkdir -p small
	unshare -m bash -c "mount -t tmpfs -o size=16m none small || exit 50
		'$rewake' record -o small/h -d 20 -- '$root/samples/load.sh' 5 2
		got=\$?
		mv small/* . || exit 51
		exit \$got" >out 2>err
	got=$?
	[ $got = 3 ] || fail "exit status $got"
	says "ended early, as the disk is nearly full"
	grep -q '"rewake/end": "disk' h.machine.json || fail "the sidecar does not say why it ended"
	complete h
	"$rewake" import -q h.dat -o h.db 2>err || [ $? = 3 ] || fail "cannot be imported"
	rm -f h.*
	clean

	begin "disk full while recording and while writing"
	for size in 80k 120k; do
		mkdir -p small
		unshare -m bash -c "mount -t tmpfs -o size=$size none small || exit 50
			'$rewake' record -o small/h -d 0.1
			got=\$?
			ls -A small | grep . && exit 51
			exit \$got" >out 2>err
		got=$?
		[ $got = 1 ] || fail "size $size: exit status $got"
		grep -q 'No space left\|disk is full' err || fail "size $size: does not say why"
		clean
	done
else
	echo "skipped: no mount namespaces for tracefs missing, events missing, disk full"
fi

[ $failed = 0 ] && echo "all good"
exit $failed
