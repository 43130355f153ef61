-- ?1 machine in the source, ?2 its number here.
INSERT INTO t_machine_cpu (machine_id, cpu, online, core, cluster, llc, node, package, capacity)
SELECT ?2, cpu, online, core, cluster, llc, node, package, capacity
FROM source.t_machine_cpu
WHERE machine_id = ?1
ORDER BY cpu;
