INSERT INTO t_machine_cpu (machine_id, cpu, online, core, cluster, llc, node, package, capacity)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);
