#!/bin/busybox sh
# First process of the guest: records in the ways that check.sh looks at, then writes everything to the disk as a tar.
# Of each case NAME.rc is the exit status, NAME.err what was said and NAME.left what the recorder left behind.
/bin/busybox --install -s /bin
export PATH=/bin
mkdir -p /proc /sys /dev /tmp /run /home
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tracefs none /sys/kernel/tracing
mount -t debugfs none /sys/kernel/debug
mount -t tmpfs -o size=60% none /home
mount -t tmpfs none /tmp
# Which of them needs which differs by kernel: what fails at first may do after the others.
for pass in 1 2 3; do
	for module in /modules/*.ko; do insmod "$module" 2>/dev/null; done
done
# Later patching of the kernel's code can lock an emulated machine up.
echo 0 >/proc/sys/debug/kprobes-optimization
tracing=/sys/kernel/tracing
cd /home

left() { # case
	{
		sed -n 's/^[^:]*:\(rewake_[^ ]*\).*/event \1/p' $tracing/dynamic_events
		sed -n 's/^s:synthetic.\(rewake_[^[:space:]]*\).*/synthetic \1/p' $tracing/dynamic_events
		for i in $tracing/instances/rewake-*; do [ -d "$i" ] && echo "instance ${i##*/}"; done
		for i in /run/rewake/*; do [ -L "$i" ] && echo "note ${i##*/}"; done
		for i in .*.rewake-*; do [ -e "$i" ] && echo "folder $i"; done
	} >"$1.left"
}
run() { # case, arguments of record
	name=$1
	shift
	echo "vm: case $name"
	rewake record -o "$name" "$@" >"$name.out" 2>"$name.err"
	echo $? >"$name.rc"
	left "$name"
}
recording() { # pid: tracepoints and probe are on, and all of it is
	for of in $tracing/instances/rewake-$1-*; do
		[ "$(cat $of/tracing_on)" = 1 ] || return
		case $of in *-hotplug | *-trigger) continue ;; esac
		[ "$(cat $of/events/sched/sched_switch/enable)" = 1 ] &&
			[ "$(cat $of/events/rewake_*/sel/enable)" = 1 ] || return
	done
} 2>/dev/null
start() { # case, arguments of record: returns once it records
	name=$1
	shift
	echo "vm: case $name"
	rewake record -o "$name" "$@" >"$name.out" 2>"$name.err" &
	pid=$!
	i=0
	while ! recording $pid; do
		i=$((i + 1))
		[ $i -lt 150 ] || { echo "vm: $name does not begin"; break; }
		sleep 0.2
	done
	sleep 1
}

# Somebody else traces all the time.
trace-cmd start -B other -e sched:sched_process_exit >/dev/null
echo 'p:other/begun do_exit' >>$tracing/dynamic_events
left before

run auto --probe=auto -d 60 -- load 2 4
run none --probe=none -d 60 -- load 0.5 4
run named --comm 'po?g' -d 60 -- load 0.5 4
run late --flight 8M --trigger 'wakeup-latency>2ms' --after 50ms -d 60 -- load 30 24
# What the kernel decides with is hidden: the recorder then has to.
[ ! -e $tracing/synthetic_events ] || mount -o bind /dev/null $tracing/synthetic_events
run followed --probe=none --flight 8M --trigger 'wakeup-latency>2ms' --after 50ms -d 60 -- load 30 24
[ ! -e $tracing/synthetic_events ] || umount $tracing/synthetic_events
# Filters hold for triggers, too.
run latename --probe=none --comm 'po?g' --flight 4M --trigger 'wakeup-latency>50us' --after 50ms -d 60 -- load 30 8
run latecpu --probe=none --cpu 2-3 --flight 4M --trigger 'wakeup-latency>50us' --after 50ms -d 60 -- load 30 8
# Not so many that nothing else gets to run: it is to last until the recording has begun.
load 60 2 &
load=$!
run latepid --probe=none --pid $load --flight 4M --trigger 'wakeup-latency>50us' --after 50ms -d 60
kill $load
wait $load 2>/dev/null
# Woken while it ran, and then preempted: no wait.  Where there is no such call, nor are there such triggers.
case $(uname -r) in
5.*) ;;
*) run awake --probe=none --comm awake --flight 4M --trigger 'wakeup-latency>600ms' -d 60 -- awake 30 800 6 ;;
esac
run packed --compress=zstd --events task,cpu-idle -d 60 -- load 0.5 4
echo "vm: case stream"
rewake record -o - --compress=zstd -d 60 -- load 0.5 4 >stream.tar.zst 2>stream.err
echo $? >stream.rc
left stream

# Reads every CPU, a few in each event; 6.5 and later can also be told each change of a queue's length.
run state --probe=state -d 60 -- load 0.5 4
more=
if grep -q 't\[:\[<group>/\]\[<event>\]\] <tracepoint>' $tracing/README; then
	more=,nr-running
	run counted --probe=state --events task$more -d 60 -- load 1 4
else
	run uncounted --events nr-running -d 1
fi
# As if kprobes were switched off; doing that would have the kernel patch its code once more.
echo 0 >/tmp/off
mount -o bind /tmp/off /sys/kernel/debug/kprobes/enabled
run standin --probe=auto -d 60 -- load 0.5 4
umount /sys/kernel/debug/kprobes/enabled

# What it costs, in turns; told as a ratio only, as nothing else of an emulated machine's speed means anything.
for round in 1 2 3 4 5; do
	echo "vm: cost, round $round"
	for level in off none flags hidden; do
		case $level in
		off) load 0.6 2 count ;;
		*) rewake record -o cost --probe=$level -- load 0.6 2 count 2>/dev/null ;;
		esac | awk -v level=$level '{n += $1} END {print level, n}' >>cost
	done
done
rm -f cost.dat cost.machine.json

run fails -d 30 -- sh -c 'exit 7'
run misused --probe=everything -d 1

start unplugged -d 600
load 0.7 4
echo 0 >/sys/devices/system/cpu/cpu1/online
cat /sys/devices/system/cpu/online >unplugged.during
load 0.7 4
echo 1 >/sys/devices/system/cpu/cpu1/online
load 0.7 4
kill -INT $pid
wait $pid
echo $? >unplugged.rc
left unplugged

# One that nobody knows before it comes; another one goes.
echo 0 >/sys/devices/system/cpu/cpu1/online
start plugged -d 600
load 0.7 4
echo 1 >/sys/devices/system/cpu/cpu1/online
load 0.7 4
echo 0 >/sys/devices/system/cpu/cpu3/online
load 0.7 4
kill -INT $pid
wait $pid
echo $? >plugged.rc
left plugged
echo 1 >/sys/devices/system/cpu/cpu3/online

start gone -d 60
sleep 60 &
sleeper=$!
echo 0 >/sys/devices/system/cpu/cpu1/online
echo 600000 >/sys/kernel/debug/sched/migration_cost_ns || echo 600000 >/proc/sys/kernel/sched_migration_cost_ns
load 0.3 4
kill -INT $pid
wait $pid
echo $? >gone.rc
echo $sleeper >gone.appeared
kill $sleeper
echo 1 >/sys/devices/system/cpu/cpu1/online
left gone

start killed --flight 4M --trigger 'wakeup-latency>60s' --events task$more -d 60
for i in $tracing/instances/rewake-$pid-*; do
	case $i in *-hotplug | *-trigger) continue ;; esac
	cat $i/trace_clock $i/timestamp_mode
done >killed.clock 2>/dev/null
kill -9 $pid
wait $pid
echo $? >killed.rc
left killed
run next -d 0.5

if [ -z "$more" ]; then : >no-counts; fi
cat $tracing/instances/other/events/sched/sched_process_exit/enable >other
grep -c 'other/begun' $tracing/dynamic_events >>other
uname -r >release
dmesg | grep -E 'BUG|Oops|WARNING|general protection' >kernel.complaints
echo "vm: case home"
rm -f *.out
if [ -b /dev/vda ] && tar cf - . | dd of=/dev/vda bs=1M 2>/dev/null && sync; then
	echo "vm: done"
else
	echo "vm: no disk to write to"
fi
poweroff -f
