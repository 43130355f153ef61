-- Rows of the run whose ids lie between ?1 and ?2, in the order of its events.
SELECT fetch(?3, id, seq, ts, dur, utid, bits, raw)
FROM t_slice
WHERE id > ?1 AND id < ?2
ORDER BY id;
