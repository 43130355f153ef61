-- Machine of run ?1.
SELECT m.id, r.release, m.release, r.nr_cpus, m.nr_cpu_ids
FROM t_run r
JOIN t_machine m ON m.id = r.machine_id
WHERE r.id = ?1;
