-- ?1 machine in the source, ?2 its number here.
INSERT INTO t_machine_domain (machine_id, cpu, level, name, flags, imbalance_pct, span)
SELECT ?2, cpu, level, name, flags, imbalance_pct, span
FROM source.t_machine_domain
WHERE machine_id = ?1
ORDER BY cpu, level;
