-- Rows of the run whose ids lie between ?1 and ?2, in the order of its events.
SELECT seq, cpu, from_ts, to_ts, count
FROM t_loss
WHERE id > ?1 AND id < ?2
ORDER BY seq, id;
