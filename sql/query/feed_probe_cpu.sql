-- Rows of the run whose ids lie between ?1 and ?2, in the order of its events.
SELECT fetch(?3, seq, cpu, nr_running, pending, curr_tid, load)
FROM t_probe_cpu
WHERE seq > ?1 AND seq < ?2
ORDER BY seq, cpu;
