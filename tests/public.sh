#!/bin/sh
# usage: public.sh REWAKE [FOLDER]
# Other people's recordings: each is imported, or refused with the right words, and holds as many
# events as trace-cmd, perf or grep find in it.  FOLDER: where they are; without it there is
# nothing to test (exit 77).
set -u
rewake=$1
folder=${2:-${REWAKE_PUBLIC_TRACES:-$(dirname "$0")/../../shared/traces/public}}
if [ ! -d "$folder" ]; then
	echo "SKIP: no recordings in $folder"
	exit 77
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
failed=0

# Events of the five kinds in lines of text, as "waking/wakeup/wakeup_new/switch/migrate".
count() {
	awk '{
		if (!match($0, "[ :]sched_(waking|wakeup|wakeup_new|switch|migrate_task)[ :]"))
			next
		n[substr($0, RSTART + 7, RLENGTH - 8)]++
	} END { printf "%d/%d/%d/%d/%d\n", n["waking"], n["wakeup"], n["wakeup_new"], n["switch"], n["migrate_task"] }'
}

# What another program finds, or "-" when it is not there.
others() {
	case $1 in
	trace-cmd) command -v trace-cmd >/dev/null && trace-cmd report -i "$2" 2>/dev/null | count || echo - ;;
	perf) command -v perf >/dev/null && perf script -i "$2" -F event 2>/dev/null | count || echo - ;;
	babeltrace2) command -v babeltrace2 >/dev/null && babeltrace2 "$2" 2>/dev/null | count || echo - ;;
	text) count <"$2" ;;
	*) echo - ;;
	esac
}

fail() {
	echo "FAIL: $1"
	failed=1
}

while IFS='|' read -r file exit counts by words; do
	case $file in '' | '#'*) continue ;; esac
	path=$folder/${file%\!*}
	if [ ! -e "$path" ]; then
		fail "$file: not there"
		continue
	fi
	case $file in *!*)
		tar -xzf "$path" -C "$tmp" || fail "$file: cannot be unpacked"
		path=$tmp/${file#*!}
		;;
	esac
	"$rewake" import "$path" -f -o "$tmp/run.db" >"$tmp/out" 2>&1
	code=$?
	[ "$code" = "$exit" ] || fail "$file: exit $code, not $exit: $(cat "$tmp/out")"
	grep -qE "$words" "$tmp/out" || fail "$file: does not say \"$words\": $(cat "$tmp/out")"
	if [ "$exit" = 1 ]; then
		[ ! -e "$tmp/run.db" ] || fail "$file: left a database"
		continue
	fi
	ours=$("$rewake" dump "$path" 2>/dev/null | count)
	[ "$ours" = "$counts" ] || fail "$file: $ours events, not $counts"
	found=$(others "$by" "$path")
	[ "$found" = - ] || [ "$found" = "$counts" ] || fail "$file: $by finds $found events"
	rm -f "$tmp/run.db"
done <<'END'
# file|exit of import|waking/wakeup/wakeup_new/switch/migrate|who else counts|what import says
ARM-software-lisa/example_rtapp-trace.dat|4|0/0/0/1552/0|trace-cmd|no sched_waking events
ARM-software-lisa/sched_load-plat_info.yml|1|||not a trace in any format known
ARM-software-lisa/sched_load-trace.dat|4|0/0/0/399/28|trace-cmd|no sched_waking events
ARM-software-lisa/trace_txt-trace.txt|4|0/1068/0/1856/0|text|no sched_waking events
ARM-software-trappy/hist-trace-0dd00955.dat|4|0/221/1/427/4|trace-cmd|no sched_waking events
ARM-software-trappy/trace_empty.txt|4|0/12/0/20/2|text|no sched_waking events
ARM-software-trappy/trace_idle.dat|4|0/0/0/23/3|trace-cmd|no sched_waking events
# Its last line is cut in the middle.
ARM-software-trappy/trace_idle_unsorted.txt|4|0/0/0/6/0||bad_record: .* count=1:
ARM-software-trappy/trace_legacy_systrace.html|4|0/2/0/3/0|text|no sched_waking events
AlexiusMD-labsisop-buildroot/trace.dat|4|0/0/0/293/0|trace-cmd|no sched_waking events
# perf does not read what simpleperf writes.
GrapheneOS-platform_system_extras/simpleperf-perf_with_tracepoint_event.data|4|0/0/0/31/0||29 switches are missing
KDAB-perfparser/parallel_static_gcc.perf.data|4|0/0/0/9/0|perf|no sched_waking events
KDAB-perfparser/probe.data.file|4|0/0/0/0/0|perf|no sched_waking and sched_switch events
KDAB-perfparser/probe.data.stream|4|0/0/0/0/0|perf|no sched_waking and sched_switch events
TGVM-tutorial3LabSisop/trace.dat|4|0/0/0/102/0|trace-cmd|no sched_waking events
carverdamien-trace-cmd/ryzen-hackbench-trace.dat|3|17505/17506/410/24328/3009|trace-cmd|207 events were lost
carverdamien-trace-cmd/small-sched-trace.dat.gz|0|6/6/0/10/2||6 wakeups
catapult-project-catapult/battor.zip|1|||zip .*several files
catapult-project-catapult/android_systrace.txt|4|0/33/0/58/0|text|no sched_waking events
catapult-project-catapult/atrace_missing_tgids|4|0/44/0/72/0|text|no sched_waking events
dorsal-lab-Tracevizlab/simple_kernel.tgz|1|||unpack it first
dorsal-lab-Tracevizlab/simple_kernel.tgz!simple-kernel|0|413/413/2/774/0|babeltrace2|415 wakeups
eclipse-tracecompass-incubator-org.eclipse.tracecompass.incubator/atrace-test|4|0/1540/0/2582/0|text|no sched_waking events
eclipse-tracecompass-incubator-org.eclipse.tracecompass.incubator/ftrace_syscalls.txt|0|30/30/1/60/3|text|31 wakeups
eclipse-tracecompass-incubator-org.eclipse.tracecompass.incubator/trace-android-sched|4|0/57/0/82/0|text|no sched_waking events
eclipse-tracecompass-tracecompass-test-traces/ctf-bug446190|4|0/566/2/1052/34|babeltrace2|no sched_waking events
eclipse-tracecompass-tracecompass-test-traces/ctf-bug446190/metadata|1|||give the folder that it is in
eclipse-tracecompass-tracecompass-test-traces/ctf-flipping-endianness|4|0/0/0/2540/0|babeltrace2|no sched_waking events
efficios-babeltrace/ctf-lttng-modules-2.0.0-ref-trace|4|0/115/4/192/39|babeltrace2|no sched_waking events
efficios-babeltrace/ctf-lttng-tracefile-rotation|0|2378/2378/5/4687/269|babeltrace2|2383 wakeups
google-perf_data_converter/quipper-perf.data.lost_samples-4.4|4|0/0/0/0/0|perf|no sched_waking and sched_switch events
# Three bytes more than its records.
google-perf_data_converter/quipper-perf.data.piped.extradata-3.4|4|0/0/0/0/0|perf|truncated: .* offset=0x8d080
google-perf_data_converter/quipper-poc-c53034701abf-2ELIFREP.data|4|0/0/0/0/0||truncated: .* offset=0xc1
kinmax-buildroot-kernel/net-trace-52046.dat|4|0/5/0/8/0|trace-cmd|no sched_waking events
kinmax-buildroot-kernel/trace_fifo_multicore.dat|4|0/388/0/766/0|trace-cmd|no sched_waking events
kunalb-panopticon/ftrace.txt|0|55/55/2/106/18|text|57 wakeups
wsdias-LabSisOp/sched_fifo_trace.dat|4|0/0/0/0/0|trace-cmd|no sched_waking and sched_switch events
# Perfetto counts the first switch of each CPU of a compact trace as one half; its decoder leaves it out.
chromy-perfetto/ui-trace.protobuf|4|0/0/0/31268/0||no sched_waking events
josefbacik-systing/trace.pb|3|3678/0/0/5031/0||3678 wakeups
microsoft-Microsoft-Performance-Tools-Linux-Android/perfetto_trace_cpu_sampling_not_scoped.pftrace|0|15470/15470/39/24698/0||15509 wakeups
END
exit $failed
