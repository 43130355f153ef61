-- The longest single waits of decisions.  The waker of an interrupt is that, not the task that it interrupted.
SELECT
	d.id, d.ts - r.first_ts AS ts,
	CASE WHEN d.context <> 'task' THEN d.context ELSE d.waker END AS waker, d.wakee, d.cpu, d.prev_cpu, d.target_cpu, d.waker_distance,
	d.wakeup_dur, d.run_dur
FROM (
	SELECT id FROM wakeup
	WHERE run_id = :run AND kind = 'decision' AND run_dur IS NOT NULL
	ORDER BY run_dur DESC, id
	LIMIT 100
) top
JOIN decision d ON d.id = top.id
JOIN run r ON r.run_id = d.run_id
ORDER BY d.run_dur DESC, d.id;
