-- The machine here that is the source's machine ?1 in every respect.
SELECT m.id
FROM t_machine m
JOIN source.t_machine s ON s.id = ?1
WHERE m.file IS s.file AND m.release IS s.release AND m.kernel IS s.kernel
	AND m.topology_known IS s.topology_known AND m.smt_active IS s.smt_active
	AND m.cluster_active IS s.cluster_active AND m.asym_capacity IS s.asym_capacity
	AND m.nr_cpu_ids IS s.nr_cpu_ids AND m.nr_llc IS s.nr_llc AND m.nr_nodes IS s.nr_nodes
	AND NOT EXISTS (
		SELECT path, content FROM t_machine_file WHERE machine_id = m.id
		EXCEPT SELECT path, content FROM source.t_machine_file WHERE machine_id = ?1)
	AND NOT EXISTS (
		SELECT path, content FROM source.t_machine_file WHERE machine_id = ?1
		EXCEPT SELECT path, content FROM t_machine_file WHERE machine_id = m.id)
	AND NOT EXISTS (
		SELECT cpu, online, core, cluster, llc, node, package, capacity FROM t_machine_cpu WHERE machine_id = m.id
		EXCEPT SELECT cpu, online, core, cluster, llc, node, package, capacity FROM source.t_machine_cpu WHERE machine_id = ?1)
	AND NOT EXISTS (
		SELECT cpu, online, core, cluster, llc, node, package, capacity FROM source.t_machine_cpu WHERE machine_id = ?1
		EXCEPT SELECT cpu, online, core, cluster, llc, node, package, capacity FROM t_machine_cpu WHERE machine_id = m.id)
	AND NOT EXISTS (
		SELECT cpu, level, name, flags, imbalance_pct, span FROM t_machine_domain WHERE machine_id = m.id
		EXCEPT SELECT cpu, level, name, flags, imbalance_pct, span FROM source.t_machine_domain WHERE machine_id = ?1)
	AND NOT EXISTS (
		SELECT cpu, level, name, flags, imbalance_pct, span FROM source.t_machine_domain WHERE machine_id = ?1
		EXCEPT SELECT cpu, level, name, flags, imbalance_pct, span FROM t_machine_domain WHERE machine_id = m.id)
	AND NOT EXISTS (
		SELECT cache, level, type, size, first_cpu, nr_cpus, cpus FROM t_machine_cache WHERE machine_id = m.id
		EXCEPT SELECT cache, level, type, size, first_cpu, nr_cpus, cpus FROM source.t_machine_cache WHERE machine_id = ?1)
	AND NOT EXISTS (
		SELECT cache, level, type, size, first_cpu, nr_cpus, cpus FROM source.t_machine_cache WHERE machine_id = ?1
		EXCEPT SELECT cache, level, type, size, first_cpu, nr_cpus, cpus FROM t_machine_cache WHERE machine_id = m.id)
	AND NOT EXISTS (
		SELECT node, cpus, distances FROM t_machine_node WHERE machine_id = m.id
		EXCEPT SELECT node, cpus, distances FROM source.t_machine_node WHERE machine_id = ?1)
	AND NOT EXISTS (
		SELECT node, cpus, distances FROM source.t_machine_node WHERE machine_id = ?1
		EXCEPT SELECT node, cpus, distances FROM t_machine_node WHERE machine_id = m.id)
	AND NOT EXISTS (
		SELECT name, value FROM t_machine_setting WHERE machine_id = m.id
		EXCEPT SELECT name, value FROM source.t_machine_setting WHERE machine_id = ?1)
	AND NOT EXISTS (
		SELECT name, value FROM source.t_machine_setting WHERE machine_id = ?1
		EXCEPT SELECT name, value FROM t_machine_setting WHERE machine_id = m.id)
ORDER BY m.id
LIMIT 1;
