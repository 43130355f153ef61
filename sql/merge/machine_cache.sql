-- ?1 machine in the source, ?2 its number here.
INSERT INTO t_machine_cache (machine_id, cache, level, type, size, first_cpu, nr_cpus, cpus)
SELECT ?2, cache, level, type, size, first_cpu, nr_cpus, cpus
FROM source.t_machine_cache
WHERE machine_id = ?1
ORDER BY cache;
