-- What the CPUs that a policy would have chosen instead would have cost, by the recorded future.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all
-- param: replay integer = NULL in 1..2147483647  number of the replay; NULL: all
-- param: top integer = 20 in 1..1000000  rows of the list of pairs

-- section: How to read this
SELECT 'idle' AS price, 'the CPU was idle: the median time to first run where the kernel chose an idle CPU other than the waker''s' AS meaning
UNION ALL SELECT 'busy', 'until the task on it really left; the wakee preempting it is not modelled, nor others that wait there, nor a wakeup on its way there'
UNION ALL SELECT 'unpriced', 'what ran there is unknown, events were lost, the trace ended, or it stayed longer than 1 s'
UNION ALL SELECT 'extra', 'wait on the policy''s CPU - wait on the kernel''s: worse is above 0; median, mean and share worse only together say something'
UNION ALL SELECT 'open loop', 'a different answer does not change what follows; caches and interrupts cost nothing';

-- section: Price of the different answers
SELECT
	a.replay AS replay,
	a.policy AS policy,
	NULLIF(a.params, '') AS params,
	a.mode AS mode,
	a.decisions AS decisions,
	a.differ AS differ,
	CASE WHEN a.differ THEN p.priced ELSE 0 END AS priced,
	CASE WHEN a.differ THEN p.differ - p.priced ELSE 0 END AS unpriced,
	round(r.idle_wait / 1000.0, 1) AS idle_us,
	round(p.median_extra / 1000.0, 1) AS median_us,
	round(p.sum_extra / 1000.0 / NULLIF(p.priced, 0), 1) AS mean_us,
	round(100.0 * p.worse / NULLIF(p.priced, 0), 1) AS worse_pct,
	round(100.0 * p.better / NULLIF(p.priced, 0), 1) AS better_pct,
	round(100.0 * p.passed_idle / p.differ, 1) AS passed_idle_pct,
	round(100.0 * p.waker_slept / p.differ, 1) AS waker_slept_pct
FROM agreement a
JOIN replay r ON r.replay_id = a.replay
LEFT JOIN replay_price p ON p.replay_id = a.replay
WHERE a.run_id = coalesce(:run, a.run_id) AND a.replay = coalesce(:replay, a.replay)
ORDER BY a.replay;

-- include: runs

-- include: machines

-- section: Different answers without a price
SELECT
	a.replay AS replay,
	a.policy AS policy,
	u.why AS why,
	SUM(u.count) AS decisions,
	round(100.0 * SUM(u.count) / a.differ, 1) AS percent
FROM agreement a
JOIN unpriced_count u ON u.replay_id = a.replay
WHERE a.run_id = coalesce(:run, a.run_id) AND a.replay = coalesce(:replay, a.replay)
GROUP BY a.replay, u.why
ORDER BY a.replay, decisions DESC, u.why;

-- section: By who wakes whom; an interrupt counts as the task that it came upon
SELECT
	a.replay AS replay,
	a.policy AS policy,
	coalesce(e.waker, '?') AS waker,
	coalesce(e.wakee, '?') AS wakee,
	SUM(e.differ) AS differ,
	SUM(e.priced) AS priced,
	round(SUM(e.sum_extra) / 1000.0 / NULLIF(SUM(e.priced), 0), 1) AS mean_us,
	round(100.0 * SUM(e.worse) / NULLIF(SUM(e.priced), 0), 1) AS worse_pct,
	round(100.0 * SUM(e.better) / NULLIF(SUM(e.priced), 0), 1) AS better_pct,
	round(100.0 * SUM(e.passed_idle) / SUM(e.differ), 1) AS passed_idle_pct,
	round(100.0 * SUM(e.waker_slept) / SUM(e.differ), 1) AS waker_slept_pct
FROM agreement a
JOIN replay_edge e ON e.replay_id = a.replay
WHERE a.run_id = coalesce(:run, a.run_id) AND a.replay = coalesce(:replay, a.replay)
GROUP BY a.replay, 3, 4
ORDER BY differ DESC, a.replay, waker, wakee
LIMIT coalesce(:top, 20);

-- include: losses
