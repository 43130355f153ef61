#!/bin/bash
# A tree of sysfs files for an invented machine: CPUS in all, CPUS_PER_NODE in each node with one last-level cache,
# cores of two threads.
#   machine_tree.sh DIR CPUS CPUS_PER_NODE
set -eu
root=$1/sys/devices/system cpus=$2 per=$3 nodes=$(($2 / $3))
for ((cpu = 0; cpu < cpus; cpu++)); do
	d=$root/cpu/cpu$cpu
	mkdir -p "$d/topology" "$d/cache/index3"
	first=$((cpu / 2 * 2)) node=$((cpu / per))
	echo "$first-$((first + 1))" >"$d/topology/thread_siblings_list"
	echo $((cpu % per / 2)) >"$d/topology/core_id"
	echo $node >"$d/topology/physical_package_id"
	echo $node >"$d/topology/die_id"
	echo 3 >"$d/cache/index3/level"
	echo Unified >"$d/cache/index3/type"
	echo "$((node * per))-$((node * per + per - 1))" >"$d/cache/index3/shared_cpu_list"
done
echo "0-$((cpus - 1))" >"$root/cpu/online"
echo "0-$((cpus - 1))" >"$root/cpu/possible"
for ((node = 0; node < nodes; node++)); do
	mkdir -p "$root/node/node$node"
	echo "$((node * per))-$((node * per + per - 1))" >"$root/node/node$node/cpulist"
	for ((other = 0; other < nodes; other++)); do
		printf '%s ' $((node == other ? 10 : 20))
	done >"$root/node/node$node/distance"
	echo >>"$root/node/node$node/distance"
done
echo "0-$((nodes - 1))" >"$root/node/online"
