-- Rows of the run whose ids lie between ?1 and ?2, in the order of its events.
SELECT fetch(?3, seq, first_cpu, nr_idle_scan, has_idle_cores)
FROM t_probe_llc
WHERE seq > ?1 AND seq < ?2
ORDER BY seq, pos;
