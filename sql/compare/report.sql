-- Two sides beside each other: how long woken tasks waited, where they were put, who woke whom.

-- section: How to read this
SELECT 'wait' AS what, 'time from waking to first run of wakeups for which the kernel chose a CPU; a wait whose end was not recorded is counted as unknown and left out' AS meaning
UNION ALL SELECT 'test', 'Mann-Whitney U, two-sided: whether waits of one side tend to be longer, whatever their distribution'
UNION ALL SELECT 'p over wakeups', 'normal approximation with corrections for ties and continuity; it takes every wakeup for independent, which wakeups of one recording are not: it is too small, and with many wakeups any difference is significant'
UNION ALL SELECT 'p over runs', 'runs are independent: one figure per run, exact over all ways to deal the runs to the sides, ties included (normal approximation above 50 runs); take this one, from at least 4 runs per side'
UNION ALL SELECT 'b_longer', 'probability that a wait of B is longer than one of A, ties counted half: 0.5 is no difference'
UNION ALL SELECT 'delta', 'Cliff''s delta, 2 b_longer - 1: from -1, B always shorter, to 1, always longer'
UNION ALL SELECT 'shift', 'Hodges-Lehmann: the median of all differences between a run of B and one of A';

-- section: What is compared
SELECT
	r.side AS side,
	r.run_id AS run,
	r.file AS file,
	r.release AS kernel,
	m.nr_cpu_ids AS cpus,
	m.nr_llc AS llcs,
	m.nr_nodes AS nodes,
	round(r.dur / 1e9, 3) AS seconds,
	r.nr_events AS events,
	r.nr_lost AS lost
FROM side_run r
JOIN side_machine m ON m.side = r.side AND m.machine_id = r.machine_id
ORDER BY r.side, r.run_id;

-- section: Waits in us
WITH pooled AS (
	SELECT side, dur, SUM(n) AS n FROM delay GROUP BY side, dur
), ranked AS (
	SELECT side, dur, n,
		SUM(n) OVER (PARTITION BY side, dur IS NULL ORDER BY dur) AS upto,
		SUM(n) OVER (PARTITION BY side, dur IS NULL) AS of
	FROM pooled
), figure AS (
	SELECT
		side,
		SUM(n) AS decisions,
		coalesce(SUM(CASE WHEN dur IS NULL THEN n END), 0) AS unknown,
		MIN(CASE WHEN upto * 1000 >= of * 500 THEN dur END) AS p50,
		MIN(CASE WHEN upto * 1000 >= of * 900 THEN dur END) AS p90,
		MIN(CASE WHEN upto * 1000 >= of * 990 THEN dur END) AS p99,
		MIN(CASE WHEN upto * 1000 >= of * 999 THEN dur END) AS p999,
		MAX(dur) AS max,
		SUM(1.0 * dur * n) / SUM(CASE WHEN dur IS NOT NULL THEN n END) AS mean
	FROM ranked
	GROUP BY side
), line AS (
	SELECT side, 1 AS pos, 'decisions' AS figure, decisions AS value, 0 AS time FROM figure
	UNION ALL SELECT side, 2, 'unknown', unknown, 0 FROM figure
	UNION ALL SELECT side, 3, 'p50', p50, 1 FROM figure
	UNION ALL SELECT side, 4, 'p90', p90, 1 FROM figure
	UNION ALL SELECT side, 5, 'p99', p99, 1 FROM figure
	UNION ALL SELECT side, 6, 'p99.9', p999, 1 FROM figure
	UNION ALL SELECT side, 7, 'max', max, 1 FROM figure
	UNION ALL SELECT side, 8, 'mean', mean, 1 FROM figure
)
SELECT
	figure AS figure,
	MAX(CASE WHEN side = 'A' THEN CASE WHEN time THEN round(value / 1000.0, 1) ELSE value END END) AS a,
	MAX(CASE WHEN side = 'B' THEN CASE WHEN time THEN round(value / 1000.0, 1) ELSE value END END) AS b,
	CASE WHEN time THEN round((MAX(CASE side WHEN 'B' THEN value END) - MAX(CASE side WHEN 'A' THEN value END)) / 1000.0, 1) + 0.0 END AS b_minus_a,
	round(100.0 * MAX(CASE side WHEN 'B' THEN value END) / NULLIF(MAX(CASE side WHEN 'A' THEN value END), 0) - 100, 1) + 0.0 AS change_pct
FROM line
GROUP BY pos, figure
ORDER BY pos;

-- section: Test over all waits
WITH pooled AS (
	SELECT dur, coalesce(SUM(CASE side WHEN 'A' THEN n END), 0) AS a, coalesce(SUM(CASE side WHEN 'B' THEN n END), 0) AS b
	FROM delay
	WHERE dur IS NOT NULL
	GROUP BY dur
), ranked AS (
	-- Twice the rank, which is a whole number also where values are equal.
	SELECT a, b, a + b AS t, 2 * SUM(a + b) OVER (ORDER BY dur) - (a + b) + 1 AS rank2
	FROM pooled
), summed AS (
	SELECT
		coalesce(SUM(a), 0) AS n_a, coalesce(SUM(b), 0) AS n_b,
		SUM(1.0 * b * rank2) / 2 - 0.5 * SUM(b) * (SUM(b) + 1) AS u_b,
		SUM(1.0 * t * t * t - t) AS ties,
		coalesce(SUM(CASE WHEN t > 1 THEN t END), 0) AS tied
	FROM ranked
), tested AS (
	SELECT *, mann_whitney_p(u_b, n_a, n_b, ties) AS p FROM summed
)
SELECT
	n_a AS n_a,
	n_b AS n_b,
	u_b AS u_b,
	round(100.0 * tied / NULLIF(n_a + n_b, 0), 1) AS tied_pct,
	round(u_b / NULLIF(1.0 * n_a * n_b, 0), 4) AS b_longer,
	round(2 * u_b / NULLIF(1.0 * n_a * n_b, 0) - 1, 4) AS delta,
	round(mann_whitney_z(u_b, n_a, n_b, ties), 2) AS z,
	CASE WHEN p IS NOT NULL THEN CAST(printf('%.3g', p) AS REAL) END AS p,
	CASE
		WHEN n_a = 0 OR n_b = 0 THEN 'no p: a side has no wait'
		WHEN p IS NULL THEN 'no p: all waits are equal'
		WHEN p = 0 THEN 'takes wakeups for independent: too small; 0 is below 1e-300'
		ELSE 'takes wakeups for independent: too small'
	END AS note
FROM tested;

-- section: Runs
WITH ranked AS (
	SELECT side, run_id, dur, n,
		SUM(n) OVER (PARTITION BY side, run_id, dur IS NULL ORDER BY dur) AS upto,
		SUM(n) OVER (PARTITION BY side, run_id, dur IS NULL) AS of
	FROM delay
), waited AS (
	SELECT
		side, run_id,
		SUM(n) AS decisions,
		MIN(CASE WHEN upto * 1000 >= of * 500 THEN dur END) AS p50,
		MIN(CASE WHEN upto * 1000 >= of * 990 THEN dur END) AS p99
	FROM ranked
	GROUP BY side, run_id
), placed AS (
	SELECT side, run_id, SUM(decisions) AS decisions, SUM(moved) AS moved, SUM(same_cpu) AS same_cpu
	FROM side_edge
	GROUP BY side, run_id
)
SELECT
	r.side AS side,
	r.run_id AS run,
	coalesce(w.decisions, 0) AS decisions,
	round(w.decisions / (r.dur / 1e9), 1) AS per_second,
	round(w.p50 / 1000.0, 1) AS p50_us,
	round(w.p99 / 1000.0, 1) AS p99_us,
	round(100.0 * p.moved / NULLIF(p.decisions, 0), 2) AS moved_pct,
	round(100.0 * p.same_cpu / NULLIF(p.decisions, 0), 2) AS wakers_cpu_pct
FROM side_run r
LEFT JOIN waited w ON w.side = r.side AND w.run_id = r.run_id
LEFT JOIN placed p ON p.side = r.side AND p.run_id = r.run_id
ORDER BY r.side, r.run_id;

-- section: Test over runs
WITH ranked AS (
	SELECT side, run_id, dur, n,
		SUM(n) OVER (PARTITION BY side, run_id, dur IS NULL ORDER BY dur) AS upto,
		SUM(n) OVER (PARTITION BY side, run_id, dur IS NULL) AS of
	FROM delay
), waited AS (
	SELECT
		side, run_id,
		MIN(CASE WHEN upto * 1000 >= of * 500 THEN dur END) / 1000.0 AS p50,
		MIN(CASE WHEN upto * 1000 >= of * 990 THEN dur END) / 1000.0 AS p99
	FROM ranked
	GROUP BY side, run_id
), placed AS (
	SELECT
		side, run_id,
		100.0 * SUM(moved) / NULLIF(SUM(decisions), 0) AS moved,
		100.0 * SUM(same_cpu) / NULLIF(SUM(decisions), 0) AS wakers_cpu
	FROM side_edge
	GROUP BY side, run_id
), figure AS (
	SELECT side, run_id, 1 AS pos, 'p50_us' AS figure, p50 AS value FROM waited
	UNION ALL SELECT side, run_id, 2, 'p99_us', p99 FROM waited
	UNION ALL SELECT side, run_id, 3, 'moved_pct', moved FROM placed
	UNION ALL SELECT side, run_id, 4, 'wakers_cpu_pct', wakers_cpu FROM placed
), known AS (
	SELECT * FROM figure WHERE value IS NOT NULL
), pair AS (
	SELECT a.pos, b.value - a.value AS shift,
		ROW_NUMBER() OVER (PARTITION BY a.pos ORDER BY b.value - a.value) AS n,
		COUNT(*) OVER (PARTITION BY a.pos) AS of
	FROM known a
	JOIN known b ON b.pos = a.pos AND b.side = 'B'
	WHERE a.side = 'A'
), shifted AS (
	SELECT pos, AVG(shift) AS shift FROM pair WHERE n IN ((of + 1) / 2, (of + 2) / 2) GROUP BY pos
), tested AS (
	SELECT
		f.pos, f.figure,
		SUM(f.side = 'A') AS n_a, SUM(f.side = 'B') AS n_b,
		mann_whitney_runs_p(f.side = 'B', f.value) AS p,
		mann_whitney_least_p(SUM(f.side = 'A'), SUM(f.side = 'B')) AS least_p,
		MIN(f.value) = MAX(f.value) AS equal
	FROM known f
	GROUP BY f.pos, f.figure
)
SELECT
	t.figure AS figure,
	t.n_a AS n_a,
	t.n_b AS n_b,
	round(s.shift, 2) + 0.0 AS shift,
	CASE WHEN t.n_a > 1 AND t.n_b > 1 AND t.p IS NOT NULL THEN CAST(printf('%.4g', t.p) AS REAL) END AS p,
	CASE
		WHEN t.n_a < 2 OR t.n_b < 2 THEN 'no p: needs several runs of each side'
		WHEN t.p IS NULL THEN 'no p: all runs are equal'
		WHEN t.least_p > 0.05 THEN printf('so few runs cannot come below %.3g', t.least_p)
		WHEN t.n_a + t.n_b > 50 THEN 'normal approximation'
		ELSE 'exact'
	END AS note
FROM tested t
LEFT JOIN shifted s ON s.pos = t.pos
ORDER BY t.pos;

-- section: Where the kernel put wakees, from the waker's CPU
WITH placed AS (
	SELECT side, SUM(decisions) AS decisions, SUM(same_cpu) AS same_cpu, SUM(smt) AS smt, SUM(llc) AS llc,
		SUM(node) AS node, SUM(remote) AS remote, SUM(distance_unknown) AS unknown, SUM(moved) AS moved
	FROM side_edge
	GROUP BY side
), line AS (
	SELECT side, decisions, 1 AS pos, 'same_cpu' AS place, same_cpu AS n FROM placed
	UNION ALL SELECT side, decisions, 2, 'smt', smt FROM placed
	UNION ALL SELECT side, decisions, 3, 'llc', llc FROM placed
	UNION ALL SELECT side, decisions, 4, 'node', node FROM placed
	UNION ALL SELECT side, decisions, 5, 'remote', remote FROM placed
	UNION ALL SELECT side, decisions, 6, 'unknown', unknown FROM placed
	UNION ALL SELECT side, decisions, 7, 'moved from its CPU', moved FROM placed
)
SELECT
	place AS place,
	SUM(CASE side WHEN 'A' THEN n END) AS a,
	SUM(CASE side WHEN 'B' THEN n END) AS b,
	round(SUM(CASE side WHEN 'A' THEN 100.0 * n / decisions END), 2) AS a_pct,
	round(SUM(CASE side WHEN 'B' THEN 100.0 * n / decisions END), 2) AS b_pct,
	round(SUM(CASE side WHEN 'B' THEN 100.0 * n / decisions END) - SUM(CASE side WHEN 'A' THEN 100.0 * n / decisions END), 2) + 0.0 AS points
FROM line
WHERE decisions
GROUP BY pos, place
ORDER BY pos;

-- section: Wakeups by kind
WITH whole AS (
	SELECT side, SUM(dur) / 1e9 AS seconds FROM side_run GROUP BY side
), counted AS (
	SELECT side, kind, SUM(count) AS n FROM side_kind GROUP BY side, kind
), total AS (
	SELECT side, SUM(n) AS n FROM counted GROUP BY side
)
SELECT
	c.kind AS kind,
	coalesce(SUM(CASE c.side WHEN 'A' THEN c.n END), 0) AS a,
	coalesce(SUM(CASE c.side WHEN 'B' THEN c.n END), 0) AS b,
	round(coalesce(SUM(CASE c.side WHEN 'A' THEN 100.0 * c.n / t.n END), 0), 1) AS a_pct,
	round(coalesce(SUM(CASE c.side WHEN 'B' THEN 100.0 * c.n / t.n END), 0), 1) AS b_pct,
	round(SUM(CASE c.side WHEN 'A' THEN c.n / NULLIF(w.seconds, 0) END), 1) AS a_per_second,
	round(SUM(CASE c.side WHEN 'B' THEN c.n / NULLIF(w.seconds, 0) END), 1) AS b_per_second
FROM counted c
JOIN total t ON t.side = c.side
LEFT JOIN whole w ON w.side = c.side
GROUP BY c.kind
ORDER BY a + b DESC, c.kind;

-- section: Pairs, by name, whose share of all wakeups changed most; an interrupt counts as the task that it came upon
WITH total AS (
	SELECT side, SUM(count) AS n FROM side_edge GROUP BY side
), pair AS (
	SELECT
		coalesce(waker, '?') AS waker, coalesce(wakee, '?') AS wakee, side,
		SUM(count) AS n, SUM(decisions) AS decisions, SUM(same_cpu) AS same_cpu, SUM(moved) AS moved,
		SUM(nr_run) AS nr_run, SUM(1.0 * mean_run_dur * nr_run) AS sum_run
	FROM side_edge
	GROUP BY coalesce(waker, '?'), coalesce(wakee, '?'), side
)
SELECT
	p.waker AS waker,
	p.wakee AS wakee,
	coalesce(SUM(CASE p.side WHEN 'A' THEN p.n END), 0) AS a,
	coalesce(SUM(CASE p.side WHEN 'B' THEN p.n END), 0) AS b,
	round(coalesce(SUM(CASE p.side WHEN 'A' THEN 100.0 * p.n / t.n END), 0), 2) AS a_pct,
	round(coalesce(SUM(CASE p.side WHEN 'B' THEN 100.0 * p.n / t.n END), 0), 2) AS b_pct,
	round(SUM(CASE p.side WHEN 'A' THEN p.sum_run / NULLIF(p.nr_run, 0) END) / 1000.0, 1) AS a_mean_us,
	round(SUM(CASE p.side WHEN 'B' THEN p.sum_run / NULLIF(p.nr_run, 0) END) / 1000.0, 1) AS b_mean_us,
	round(SUM(CASE p.side WHEN 'A' THEN 100.0 * p.same_cpu / NULLIF(p.decisions, 0) END), 1) AS a_wakers_cpu_pct,
	round(SUM(CASE p.side WHEN 'B' THEN 100.0 * p.same_cpu / NULLIF(p.decisions, 0) END), 1) AS b_wakers_cpu_pct,
	round(SUM(CASE p.side WHEN 'A' THEN 100.0 * p.moved / NULLIF(p.decisions, 0) END), 1) AS a_moved_pct,
	round(SUM(CASE p.side WHEN 'B' THEN 100.0 * p.moved / NULLIF(p.decisions, 0) END), 1) AS b_moved_pct
FROM pair p
JOIN total t ON t.side = p.side
GROUP BY p.waker, p.wakee
ORDER BY abs(coalesce(SUM(CASE p.side WHEN 'B' THEN 1.0 * p.n / t.n END), 0)
	- coalesce(SUM(CASE p.side WHEN 'A' THEN 1.0 * p.n / t.n END), 0)) DESC, a + b DESC, p.waker, p.wakee
LIMIT 20;

-- section: Agreement of each policy with the kernel
SELECT
	policy AS policy,
	NULLIF(params, '') AS params,
	mode AS mode,
	kernel AS kernel,
	machine AS machine,
	SUM(CASE side WHEN 'A' THEN decisions END) AS a_decisions,
	SUM(CASE side WHEN 'B' THEN decisions END) AS b_decisions,
	round(100.0 * SUM(CASE side WHEN 'A' THEN agree END) / NULLIF(SUM(CASE side WHEN 'A' THEN decisions END), 0), 2) AS a_agree_pct,
	round(100.0 * SUM(CASE side WHEN 'B' THEN agree END) / NULLIF(SUM(CASE side WHEN 'B' THEN decisions END), 0), 2) AS b_agree_pct,
	round(100.0 * SUM(CASE side WHEN 'A' THEN interesting_agree END) / NULLIF(SUM(CASE side WHEN 'A' THEN interesting END), 0), 2) AS a_interesting_pct,
	round(100.0 * SUM(CASE side WHEN 'B' THEN interesting_agree END) / NULLIF(SUM(CASE side WHEN 'B' THEN interesting END), 0), 2) AS b_interesting_pct
FROM side_agreement
GROUP BY policy, params, mode, kernel, machine
ORDER BY MIN(replay), policy, params, mode, kernel, machine;

-- section: Lost events
SELECT
	side AS side,
	run_id AS run,
	nr_gaps AS gaps,
	nr_lost AS lost,
	truncated_at AS readable_up_to
FROM side_run
WHERE nr_gaps OR nr_lost IS NULL OR nr_lost > 0 OR truncated
ORDER BY side, run_id;

-- section: Anomalies
SELECT
	side AS side,
	run_id AS run,
	name AS anomaly,
	count AS count,
	help AS meaning
FROM side_anomaly
ORDER BY side, run_id, count DESC, name;
