-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_orphan (seq, ts, utid, bits)
SELECT moved(seq), ts - ?5, moved(utid), bits
FROM source.t_orphan
WHERE seq BETWEEN ?2 AND ?3
ORDER BY seq;
