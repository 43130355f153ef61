-- Rows of the run whose ids lie between ?1 and ?2, in the order of its events.
SELECT fetch(?3, seq, ts, utid, bits)
FROM t_orphan
WHERE seq > ?1 AND seq < ?2
ORDER BY seq;
