-- Rows of the run whose ids lie between ?1 and ?2, in the order of its events.
SELECT fetch(?3, seq, ts, cpus, nr, change)
FROM t_nr
WHERE seq > ?1 AND seq < ?2
ORDER BY seq;
