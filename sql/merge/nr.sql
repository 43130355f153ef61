-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_nr (seq, ts, cpus, nr, change)
SELECT moved(seq), ts - ?5, cpus, nr, change
FROM source.t_nr
WHERE seq BETWEEN ?2 AND ?3
ORDER BY seq;
