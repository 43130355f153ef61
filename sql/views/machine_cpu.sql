CREATE VIEW machine_cpu AS
-- What each CPU shares with others; NULL where unknown.
SELECT
	machine_id, -- machine
	cpu, -- CPU
	online, -- 1: online when the snapshot was taken
	core, -- lowest CPU of its core
	cluster, -- lowest CPU of its L2 cluster
	llc, -- lowest CPU of its last-level-cache domain
	node, -- NUMA node
	package, -- physical package
	capacity -- cpu_capacity, 1024 for a full CPU
FROM t_machine_cpu;
