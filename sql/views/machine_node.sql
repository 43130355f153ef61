CREATE VIEW machine_node AS
-- NUMA nodes.
SELECT
	machine_id, -- machine
	node, -- node
	cpus, -- its CPUs as a list
	distances -- to node 0, 1, …
FROM t_machine_node;
