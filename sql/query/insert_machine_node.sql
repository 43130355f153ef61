INSERT INTO t_machine_node (machine_id, node, cpus, distances)
VALUES (?, ?, ?, ?);
