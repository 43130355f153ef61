-- Policies side by side: how often they agree with the kernel, where they put wakees, and at what price.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all

-- section: Answers
SELECT
	a.replay AS replay,
	a.policy AS policy,
	NULLIF(a.params, '') AS params,
	a.mode AS mode,
	a.decisions AS decisions,
	round(100.0 * a.agree / NULLIF(a.decisions, 0), 2) AS agree_pct,
	round(100.0 * a.interesting_agree / NULLIF(a.interesting, 0), 2) AS interesting_pct,
	a.differ AS differ,
	a.unanswered AS unanswered,
	a.with_unknown AS with_unknown,
	r.violations AS violations
FROM agreement a
JOIN replay r ON r.replay_id = a.replay
WHERE a.machine = 'recorded' AND a.run_id = coalesce(:run, a.run_id)
ORDER BY a.replay;

-- include: runs

-- include: machines

-- section: Where they differ, who moves
SELECT
	a.replay AS replay,
	a.policy AS policy,
	a.differ AS differ,
	coalesce(SUM(CASE WHEN d.kernel = 'moves' AND d.policy = 'stays' THEN d.count END), 0) AS policy_stays,
	coalesce(SUM(CASE WHEN d.kernel = 'stays' AND d.policy = 'moves' THEN d.count END), 0) AS policy_moves,
	coalesce(SUM(CASE WHEN d.kernel = 'moves' AND d.policy = 'moves' THEN d.count END), 0) AS both_move,
	coalesce(SUM(CASE WHEN d.kernel IS NULL OR d.policy IS NULL THEN d.count END), 0) AS unknown
FROM agreement a
LEFT JOIN difference d ON d.replay_id = a.replay AND d.what = 'place'
WHERE a.run_id = coalesce(:run, a.run_id)
GROUP BY a.replay
ORDER BY a.replay;

-- section: Where they differ, nearer to or farther from the waker than the kernel
WITH place AS (
	SELECT 0 AS n, 'same_cpu' AS distance UNION ALL SELECT 1, 'smt' UNION ALL SELECT 2, 'llc'
	UNION ALL SELECT 3, 'node' UNION ALL SELECT 4, 'remote'
)
SELECT
	a.replay AS replay,
	a.policy AS policy,
	a.differ AS differ,
	coalesce(SUM(CASE WHEN p.n < k.n THEN d.count END), 0) AS nearer,
	coalesce(SUM(CASE WHEN p.n = k.n THEN d.count END), 0) AS as_far,
	coalesce(SUM(CASE WHEN p.n > k.n THEN d.count END), 0) AS farther,
	coalesce(SUM(CASE WHEN p.n IS NULL OR k.n IS NULL THEN d.count END), 0) AS unknown
FROM agreement a
LEFT JOIN difference d ON d.replay_id = a.replay AND d.what = 'waker_distance'
LEFT JOIN place k ON k.distance = d.kernel
LEFT JOIN place p ON p.distance = d.policy
WHERE a.run_id = coalesce(:run, a.run_id)
GROUP BY a.replay
ORDER BY a.replay;

-- section: Where they differ, expected wait on the policy's CPU less that on the kernel's (report price)
SELECT
	a.replay AS replay,
	a.policy AS policy,
	p.differ AS differ,
	p.priced AS priced,
	round(p.median_extra / 1000.0, 1) AS median_us,
	round(p.sum_extra / 1000.0 / NULLIF(p.priced, 0), 1) AS mean_us,
	round(100.0 * p.worse / NULLIF(p.priced, 0), 1) AS worse_pct,
	round(100.0 * p.better / NULLIF(p.priced, 0), 1) AS better_pct,
	round(100.0 * p.passed_idle / p.differ, 1) AS passed_idle_pct
FROM agreement a
JOIN replay_price p ON p.replay_id = a.replay
WHERE a.run_id = coalesce(:run, a.run_id)
ORDER BY a.replay;

-- include: losses
