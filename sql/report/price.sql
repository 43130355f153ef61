-- What the CPUs that a policy would have chosen instead would have cost, by the recorded future.

-- section: How to read this
SELECT 'idle' AS price, 'the CPU was idle: the median time to first run where the kernel chose an idle CPU other than the waker''s' AS meaning
UNION ALL SELECT 'busy', 'until the task on it really left; the wakee preempting it is not modelled, nor others that wait there, nor a wakeup on its way there'
UNION ALL SELECT 'unpriced', 'what ran there is unknown, events were lost, the trace ended, or it stayed longer than 1 s'
UNION ALL SELECT 'extra', 'wait on the policy''s CPU - wait on the kernel''s: worse is above 0; median, mean and share worse only together say something'
UNION ALL SELECT 'open loop', 'a different answer does not change what follows; caches and interrupts cost nothing';

-- section: Price of the different answers
WITH d AS (
	SELECT
		replay_id, extra_dur, unpriced, passed_idle, waker_slept,
		ROW_NUMBER() OVER (PARTITION BY replay_id, extra_dur IS NULL ORDER BY extra_dur) AS n,
		COUNT(*) OVER (PARTITION BY replay_id, extra_dur IS NULL) AS of
	FROM price
)
SELECT
	a.replay AS replay,
	a.policy AS policy,
	NULLIF(a.params, '') AS params,
	a.mode AS mode,
	a.decisions AS decisions,
	a.differ AS differ,
	COUNT(d.extra_dur) AS priced,
	COUNT(d.unpriced) AS unpriced,
	round(r.idle_wait / 1000.0, 1) AS idle_us,
	round(MAX(CASE WHEN d.n = (d.of + 1) / 2 THEN d.extra_dur END) / 1000.0, 1) AS median_us,
	round(AVG(d.extra_dur) / 1000.0, 1) AS mean_us,
	round(100.0 * COUNT(CASE WHEN d.extra_dur > 0 THEN 1 END) / NULLIF(COUNT(d.extra_dur), 0), 1) AS worse_pct,
	round(100.0 * COUNT(CASE WHEN d.extra_dur < 0 THEN 1 END) / NULLIF(COUNT(d.extra_dur), 0), 1) AS better_pct,
	round(100.0 * SUM(d.passed_idle) / COUNT(d.passed_idle), 1) AS passed_idle_pct,
	round(100.0 * SUM(d.waker_slept) / COUNT(d.waker_slept), 1) AS waker_slept_pct
FROM agreement a
JOIN replay r ON r.replay_id = a.replay
LEFT JOIN d ON d.replay_id = a.replay
GROUP BY a.replay
ORDER BY a.replay;

-- include: machines

-- section: Different answers without a price
SELECT
	a.replay AS replay,
	a.policy AS policy,
	p.unpriced AS why,
	COUNT(*) AS decisions,
	round(100.0 * COUNT(*) / a.differ, 1) AS percent
FROM agreement a
JOIN price p ON p.replay_id = a.replay
WHERE p.unpriced IS NOT NULL
GROUP BY a.replay, p.unpriced
ORDER BY a.replay, decisions DESC, why;

-- section: By who wakes whom
WITH d AS (
	SELECT
		p.replay_id, p.extra_dur, p.passed_idle, p.waker_slept,
		coalesce(a.name, '?') AS waker, coalesce(b.name, '?') AS wakee
	FROM price p
	JOIN wakeup w ON w.id = p.wakeup_id
	LEFT JOIN task a ON a.utid = w.waker_utid
	LEFT JOIN task b ON b.utid = w.wakee_utid
), o AS (
	SELECT *,
		ROW_NUMBER() OVER (PARTITION BY replay_id, waker, wakee, extra_dur IS NULL ORDER BY extra_dur) AS n,
		COUNT(*) OVER (PARTITION BY replay_id, waker, wakee, extra_dur IS NULL) AS of
	FROM d
)
SELECT
	a.replay AS replay,
	a.policy AS policy,
	o.waker AS waker,
	o.wakee AS wakee,
	COUNT(*) AS differ,
	COUNT(o.extra_dur) AS priced,
	round(MAX(CASE WHEN o.n = (o.of + 1) / 2 THEN o.extra_dur END) / 1000.0, 1) AS median_us,
	round(AVG(o.extra_dur) / 1000.0, 1) AS mean_us,
	round(100.0 * COUNT(CASE WHEN o.extra_dur > 0 THEN 1 END) / NULLIF(COUNT(o.extra_dur), 0), 1) AS worse_pct,
	round(100.0 * AVG(o.passed_idle), 1) AS passed_idle_pct,
	round(100.0 * AVG(o.waker_slept), 1) AS waker_slept_pct
FROM agreement a
JOIN o ON o.replay_id = a.replay
GROUP BY a.replay, o.waker, o.wakee
ORDER BY differ DESC, a.replay, o.waker, o.wakee
LIMIT 20;

-- include: losses
