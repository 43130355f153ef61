INSERT INTO t_machine (id, file, release, kernel, topology_known, smt_active, cluster_active, asym_capacity, nr_cpu_ids, nr_llc, nr_nodes)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
