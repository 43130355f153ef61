-- Wakeups by what is known of them.
SELECT kind, kind_source, sync_source, target_source, censor, SUM(count) AS count
FROM wakeup_count
WHERE run_id = :run
GROUP BY kind, kind_source, sync_source, target_source, censor
ORDER BY kind, kind_source, sync_source, target_source, censor;
