-- Wakeups of run :run in the order of its events.
SELECT
	id, seq, ts, cpu, context, waker_utid, wakee_utid, prio, prev_cpu, target_cpu, target_source, kind, kind_source,
	sync, sync_source, wakeup_dur, run_cpu, run_dur, censor
FROM wakeup
-- The same as run_id = :run, but without reading other runs.
WHERE id >= (:run - 1) << 40 AND id < :run << 40
ORDER BY id
