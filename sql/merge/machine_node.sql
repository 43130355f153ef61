-- ?1 machine in the source, ?2 its number here.
INSERT INTO t_machine_node (machine_id, node, cpus, distances)
SELECT ?2, node, cpus, distances
FROM source.t_machine_node
WHERE machine_id = ?1
ORDER BY node;
