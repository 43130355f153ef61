INSERT INTO t_machine_cache (machine_id, cache, level, type, size, first_cpu, nr_cpus, cpus)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);
