-- How long woken tasks waited for a CPU: from the waking to their first run.

-- section: Waits of decisions, by where the kernel put the wakee and what woke it
WITH all_of AS (
	SELECT run_id, 0 AS pos, 'all' AS by, '-' AS class, run_dur FROM decision
	UNION ALL
	SELECT run_id, 1, 'from the waker', COALESCE(waker_distance, 'unknown'), run_dur FROM decision
	UNION ALL
	SELECT run_id, 2, 'from its previous CPU', COALESCE(prev_distance, 'unknown'), run_dur FROM decision
	UNION ALL
	SELECT run_id, 3, 'woken by', COALESCE(context, 'unknown'), run_dur FROM decision
	UNION ALL
	SELECT run_id, 4, 'sync', CASE sync WHEN 1 THEN 'yes' WHEN 0 THEN 'no' ELSE 'unknown' END, run_dur FROM decision
),
ranked AS (
	SELECT
		run_id, pos, by, class, run_dur,
		ROW_NUMBER() OVER (PARTITION BY run_id, pos, class, run_dur IS NULL ORDER BY run_dur) AS n,
		COUNT(run_dur) OVER (PARTITION BY run_id, pos, class) AS of
	FROM all_of
)
SELECT
	run_id AS run,
	by AS by,
	class AS class,
	COUNT(*) AS decisions,
	COUNT(*) - COUNT(run_dur) AS unknown,
	round(MIN(CASE WHEN n * 1000 >= of * 500 THEN run_dur END) / 1000.0, 1) AS p50_us,
	round(MIN(CASE WHEN n * 1000 >= of * 900 THEN run_dur END) / 1000.0, 1) AS p90_us,
	round(MIN(CASE WHEN n * 1000 >= of * 990 THEN run_dur END) / 1000.0, 1) AS p99_us,
	round(MIN(CASE WHEN n * 1000 >= of * 999 THEN run_dur END) / 1000.0, 1) AS p999_us,
	round(MAX(run_dur) / 1000.0, 1) AS max_us,
	round(SUM(run_dur) / 1000000.0, 3) AS sum_ms
FROM ranked
GROUP BY run_id, pos, class
ORDER BY run_id, pos, decisions DESC, class;

-- section: Wakees that waited longest in all
WITH ranked AS (
	SELECT
		run_id, wakee_utid, wakee, moved, run_dur,
		ROW_NUMBER() OVER (PARTITION BY run_id, wakee_utid, run_dur IS NULL ORDER BY run_dur) AS n,
		COUNT(run_dur) OVER (PARTITION BY run_id, wakee_utid) AS of
	FROM decision
)
SELECT
	r.run_id AS run,
	r.wakee AS wakee,
	t.tid AS tid,
	COUNT(*) AS decisions,
	COUNT(*) - COUNT(r.run_dur) AS unknown,
	round(100.0 * SUM(r.moved) / NULLIF(COUNT(r.moved), 0), 1) AS moved_pct,
	round(MIN(CASE WHEN r.n * 1000 >= r.of * 500 THEN r.run_dur END) / 1000.0, 1) AS p50_us,
	round(MIN(CASE WHEN r.n * 1000 >= r.of * 990 THEN r.run_dur END) / 1000.0, 1) AS p99_us,
	round(MAX(r.run_dur) / 1000.0, 1) AS max_us,
	round(SUM(r.run_dur) / 1000000.0, 3) AS sum_ms
FROM ranked r
JOIN task t ON t.utid = r.wakee_utid
GROUP BY r.run_id, r.wakee_utid
ORDER BY SUM(r.run_dur) DESC, r.run_id, r.wakee_utid
LIMIT 20;

-- section: The longest single waits
SELECT
	d.run_id AS run,
	d.id AS wakeup,
	d.waker AS waker,
	d.wakee AS wakee,
	d.prev_cpu AS prev_cpu,
	d.target_cpu AS cpu,
	d.waker_distance AS from_waker,
	round(d.wakeup_dur / 1000.0, 1) AS woken_us,
	round(d.run_dur / 1000.0, 1) AS ran_us
FROM decision d
WHERE d.run_dur IS NOT NULL
ORDER BY d.run_dur DESC, d.run_id, d.id
LIMIT 20;

-- include: losses
