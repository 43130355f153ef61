-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_migration (id, seq, ts, cpus, by_utid, utid, wakeup_id, bits)
SELECT moved(id), moved(seq), ts - ?5, cpus, moved(by_utid), moved(utid), moved(wakeup_id), bits
FROM source.t_migration
WHERE id BETWEEN ?2 AND ?3
ORDER BY id;
