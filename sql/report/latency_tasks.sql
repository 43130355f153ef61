-- How long each woken task waited for a CPU.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all
-- param: top integer = 20 in 1..1000000  rows of the list

-- Exact percentiles of the listed ones without sorting each: rwk_wait is in order of the waits, which
-- are counted in blocks of 1024 of its rows, and this tells the block that holds the wanted rank.
DROP TABLE IF EXISTS temp.rwk_wait;
CREATE TEMP TABLE rwk_wait AS
SELECT wakee_utid AS key, run_dur, prev_cpu <> target_cpu AS moved
FROM wakeup
WHERE kind = 'decision' AND run_id = coalesce(:run, run_id)
ORDER BY run_dur;

DROP TABLE IF EXISTS temp.rwk_top;
CREATE TEMP TABLE rwk_top (
	key INTEGER PRIMARY KEY,
	decisions, waits, sum_dur, max_dur, moved, moved_known
);
INSERT INTO rwk_top
SELECT key, COUNT(*), COUNT(run_dur), SUM(run_dur) AS sum_dur, MAX(run_dur), SUM(moved), COUNT(moved)
FROM rwk_wait
WHERE key IS NOT NULL
GROUP BY key
ORDER BY sum_dur DESC, key
LIMIT coalesce(:top, 20);

-- section: Wakees that waited longest in all
WITH upto AS MATERIALIZED (
	SELECT
		key, block, waits,
		SUM(waits) OVER (PARTITION BY key ORDER BY block) AS upto,
		SUM(waits) OVER (PARTITION BY key) AS of
	FROM (
		SELECT w.key, w.rowid >> 10 AS block, COUNT(*) AS waits
		FROM rwk_wait w
		WHERE w.key IN (SELECT key FROM rwk_top) AND w.run_dur IS NOT NULL
		GROUP BY 1, 2
	)
),
rank AS (SELECT 500 AS q UNION ALL SELECT 900 UNION ALL SELECT 990 UNION ALL SELECT 999),
want AS MATERIALIZED (
	SELECT u.key, u.block, k.q, (u.of * k.q + 999) / 1000 - (u.upto - u.waits) AS n
	FROM upto u
	JOIN rank k ON (u.of * k.q + 999) / 1000 BETWEEN u.upto - u.waits + 1 AND u.upto
),
numbered AS MATERIALIZED (
	SELECT b.key, b.block, w.run_dur, ROW_NUMBER() OVER (PARTITION BY b.key, b.block ORDER BY w.rowid) AS n
	FROM (SELECT DISTINCT key, block FROM want) b
	CROSS JOIN rwk_wait w
	WHERE w.rowid BETWEEN b.block << 10 AND (b.block << 10) + 1023 AND +w.key = b.key AND w.run_dur IS NOT NULL
),
quantile AS MATERIALIZED (
	SELECT w.key, w.q, r.run_dur AS dur
	FROM want w
	JOIN numbered r ON r.key = w.key AND r.block = w.block AND r.n = w.n
)
SELECT
	n.run_id AS run,
	n.name AS wakee,
	n.tid AS tid,
	t.decisions AS decisions,
	t.decisions - t.waits AS unknown,
	round(100.0 * t.moved / NULLIF(t.moved_known, 0), 1) AS moved_pct,
	round((SELECT dur FROM quantile q WHERE q.key = t.key AND q.q = 500) / 1000.0, 1) AS p50_us,
	round((SELECT dur FROM quantile q WHERE q.key = t.key AND q.q = 900) / 1000.0, 1) AS p90_us,
	round((SELECT dur FROM quantile q WHERE q.key = t.key AND q.q = 990) / 1000.0, 1) AS p99_us,
	round((SELECT dur FROM quantile q WHERE q.key = t.key AND q.q = 999) / 1000.0, 1) AS p999_us,
	round(t.max_dur / 1000.0, 1) AS max_us,
	round(t.sum_dur / 1000000.0, 3) AS sum_ms
FROM rwk_top t
JOIN task n ON n.utid = t.key
ORDER BY t.sum_dur DESC, t.key;

-- include: losses
