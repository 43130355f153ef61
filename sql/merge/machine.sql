-- ?1 machine in the source, ?2 its number here.
INSERT INTO t_machine (id, file, release, kernel, topology_known, smt_active, cluster_active, asym_capacity, nr_cpu_ids, nr_llc, nr_nodes)
SELECT ?2, shown('machine', file), shown('release', release), kernel, topology_known, smt_active, cluster_active, asym_capacity, nr_cpu_ids, nr_llc, nr_nodes
FROM source.t_machine
WHERE id = ?1;
