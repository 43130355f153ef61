-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_loss (id, seq, cpu, from_ts, to_ts, count)
SELECT moved(id), moved(seq), cpu, from_ts - ?5, to_ts - ?5, count
FROM source.t_loss
WHERE id BETWEEN ?2 AND ?3
ORDER BY id;
