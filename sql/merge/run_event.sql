-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_run_event (run_id, kind, event, count)
SELECT ?4, kind, event, count
FROM source.t_run_event
WHERE run_id = ?1
ORDER BY kind;
