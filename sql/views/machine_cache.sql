CREATE VIEW machine_cache AS
-- Caches, and the cache domains that the scheduler derives from them.
SELECT
	machine_id, -- machine
	cache, -- number within the machine
	level, -- 1, 2, 3…; NULL for a scheduler's last-level-cache domain
	type, -- Data, Instruction, Unified; llc domain
	size, -- as the kernel prints it
	first_cpu, -- lowest CPU
	nr_cpus, -- CPUs that share it
	cpus -- the same as a list
FROM t_machine_cache;
