-- How long woken tasks waited for a CPU: from the waking to their first run.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all
-- param: top integer = 20 in 1..1000000  rows of each list

-- Exact percentiles without a sort per class: rwk_wait is in order of the waits, rwk_block counts
-- each class in blocks of 1024 of its rows, which tells the block that holds the wanted rank.
DROP TABLE IF EXISTS temp.rwk_wait;
CREATE TEMP TABLE rwk_wait AS
-- class: sync 0-1, context 2-4, moved 5-6, distance to the previous CPU 7-9, to the waker's 10-12; 0 unknown; run above.
SELECT
	(run_id << 13)
	| (CASE waker_distance WHEN 'same_cpu' THEN 1 WHEN 'smt' THEN 2 WHEN 'llc' THEN 3 WHEN 'node' THEN 4 WHEN 'remote' THEN 5 ELSE 0 END << 10)
	| (CASE prev_distance WHEN 'same_cpu' THEN 1 WHEN 'smt' THEN 2 WHEN 'llc' THEN 3 WHEN 'node' THEN 4 WHEN 'remote' THEN 5 ELSE 0 END << 7)
	| (coalesce(moved + 1, 0) << 5)
	| (CASE context WHEN 'task' THEN 1 WHEN 'idle' THEN 2 WHEN 'softirq' THEN 3 WHEN 'hardirq' THEN 4 WHEN 'nmi' THEN 5 ELSE 0 END << 2)
	| coalesce(sync + 1, 0) AS class,
	run_dur
FROM decision
WHERE run_id = coalesce(:run, run_id)
ORDER BY run_dur;

DROP TABLE IF EXISTS temp.rwk_block;
CREATE TEMP TABLE rwk_block AS
SELECT class, rowid >> 10 AS block, COUNT(*) AS decisions, COUNT(run_dur) AS waits, SUM(run_dur) AS sum_dur, MAX(run_dur) AS max_dur
FROM rwk_wait
GROUP BY 1, 2;

-- section: Waits of decisions, by where the kernel put the wakee and what woke it
WITH dim AS (
	SELECT 0 AS pos, 'all' AS by, -1 << 13 AS mask, 0 AS shift
	UNION ALL SELECT 1, 'moved', (-1 << 13) | (3 << 5), 5
	UNION ALL SELECT 2, 'from the waker', (-1 << 13) | (7 << 10), 10
	UNION ALL SELECT 3, 'from its previous CPU', (-1 << 13) | (7 << 7), 7
	UNION ALL SELECT 4, 'woken by', (-1 << 13) | (7 << 2), 2
	UNION ALL SELECT 5, 'sync', (-1 << 13) | 3, 0
),
name AS (
	SELECT 0 AS pos, 0 AS value, '-' AS name
	UNION ALL SELECT 1, 0, 'unknown' UNION ALL SELECT 1, 1, 'stays' UNION ALL SELECT 1, 2, 'moves'
	UNION ALL SELECT d.pos, n.value, n.name
	FROM (
		SELECT 0 AS value, 'unknown' AS name UNION ALL SELECT 1, 'same_cpu' UNION ALL SELECT 2, 'smt'
		UNION ALL SELECT 3, 'llc' UNION ALL SELECT 4, 'node' UNION ALL SELECT 5, 'remote'
	) n JOIN (SELECT 2 AS pos UNION ALL SELECT 3) d
	UNION ALL SELECT 4, 0, 'unknown' UNION ALL SELECT 4, 1, 'task' UNION ALL SELECT 4, 2, 'idle'
	UNION ALL SELECT 4, 3, 'softirq' UNION ALL SELECT 4, 4, 'hardirq' UNION ALL SELECT 4, 5, 'nmi'
	UNION ALL SELECT 5, 0, 'unknown' UNION ALL SELECT 5, 1, 'no' UNION ALL SELECT 5, 2, 'yes'
),
counted AS (
	SELECT
		d.pos, b.class & d.mask AS class, b.block, SUM(b.decisions) AS decisions, SUM(b.waits) AS waits,
		SUM(b.sum_dur) AS sum_dur, MAX(b.max_dur) AS max_dur
	FROM rwk_block b
	JOIN dim d
	GROUP BY d.pos, 2, b.block
),
upto AS MATERIALIZED (
	SELECT
		pos, class, block, waits,
		SUM(waits) OVER (PARTITION BY pos, class ORDER BY block) AS upto,
		SUM(waits) OVER (PARTITION BY pos, class) AS of
	FROM counted
),
rank AS (SELECT 500 AS q UNION ALL SELECT 900 UNION ALL SELECT 990 UNION ALL SELECT 999),
want AS MATERIALIZED (
	SELECT u.pos, u.class, u.block, k.q, (u.of * k.q + 999) / 1000 - (u.upto - u.waits) AS n
	FROM upto u
	JOIN rank k ON (u.of * k.q + 999) / 1000 BETWEEN u.upto - u.waits + 1 AND u.upto
),
numbered AS MATERIALIZED (
	SELECT
		b.pos, b.class, b.block, w.run_dur,
		ROW_NUMBER() OVER (PARTITION BY b.pos, b.class, b.block ORDER BY w.rowid) AS n
	FROM (SELECT DISTINCT pos, class, block FROM want) b
	JOIN dim d ON d.pos = b.pos
	CROSS JOIN rwk_wait w
	WHERE w.rowid BETWEEN b.block << 10 AND (b.block << 10) + 1023 AND w.class & d.mask = b.class
		AND w.run_dur IS NOT NULL
),
quantile AS MATERIALIZED (
	SELECT w.pos, w.class, w.q, r.run_dur AS dur
	FROM want w
	JOIN numbered r ON r.pos = w.pos AND r.class = w.class AND r.block = w.block AND r.n = w.n
)
SELECT
	c.class >> 13 AS run,
	d.by AS by,
	n.name AS class,
	SUM(c.decisions) AS decisions,
	SUM(c.decisions) - SUM(c.waits) AS unknown,
	round((SELECT dur FROM quantile q WHERE q.pos = c.pos AND q.class = c.class AND q.q = 500) / 1000.0, 1) AS p50_us,
	round((SELECT dur FROM quantile q WHERE q.pos = c.pos AND q.class = c.class AND q.q = 900) / 1000.0, 1) AS p90_us,
	round((SELECT dur FROM quantile q WHERE q.pos = c.pos AND q.class = c.class AND q.q = 990) / 1000.0, 1) AS p99_us,
	round((SELECT dur FROM quantile q WHERE q.pos = c.pos AND q.class = c.class AND q.q = 999) / 1000.0, 1) AS p999_us,
	round(MAX(c.max_dur) / 1000.0, 1) AS max_us,
	round(SUM(c.sum_dur) / 1000000.0, 3) AS sum_ms
FROM counted c
JOIN dim d ON d.pos = c.pos
LEFT JOIN name n ON n.pos = c.pos AND n.value = (c.class & (d.mask & 8191)) >> d.shift
GROUP BY c.pos, c.class
ORDER BY run, c.pos, decisions DESC, n.name;

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
FROM (
	SELECT id
	FROM wakeup
	WHERE kind = 'decision' AND run_dur IS NOT NULL AND run_id = coalesce(:run, run_id)
	ORDER BY run_dur DESC, id
	LIMIT coalesce(:top, 20)
) l
JOIN decision d ON d.id = l.id
ORDER BY d.run_dur DESC, d.id;

-- include: losses
