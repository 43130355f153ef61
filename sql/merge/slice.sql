-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_slice (id, seq, ts, dur, utid, bits, raw)
SELECT moved(id), moved(seq), ts - ?5, dur, moved(utid), bits, raw
FROM source.t_slice
WHERE id BETWEEN ?2 AND ?3
ORDER BY id;
