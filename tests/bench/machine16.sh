#!/bin/sh
# A tree of sysfs files for an invented machine: 16 CPUs, 2 nodes of 4 cores of 2 threads.
set -eu
root=$1/sys/devices/system
for cpu in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	d=$root/cpu/cpu$cpu
	mkdir -p "$d/topology" "$d/cache/index3"
	first=$((cpu / 2 * 2)) node=$((cpu / 8))
	echo "$first-$((first + 1))" >"$d/topology/thread_siblings_list"
	echo $((cpu / 2 % 4)) >"$d/topology/core_id"
	echo $node >"$d/topology/physical_package_id"
	echo $node >"$d/topology/die_id"
	echo 3 >"$d/cache/index3/level"
	echo Unified >"$d/cache/index3/type"
	echo "$((node * 8))-$((node * 8 + 7))" >"$d/cache/index3/shared_cpu_list"
done
echo 0-15 >"$root/cpu/online"
echo 0-15 >"$root/cpu/possible"
for node in 0 1; do
	mkdir -p "$root/node/node$node"
	echo "$((node * 8))-$((node * 8 + 7))" >"$root/node/node$node/cpulist"
done
echo 10 20 >"$root/node/node0/distance"
echo 20 10 >"$root/node/node1/distance"
echo 0-1 >"$root/node/online"
