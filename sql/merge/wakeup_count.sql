-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_wakeup_count (run_id, bits, count)
SELECT ?4, bits, count
FROM source.t_wakeup_count
WHERE run_id = ?1
ORDER BY bits;
