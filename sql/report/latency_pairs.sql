-- How long wakees waited for a CPU, by who woke whom: names, whatever their threads, or kinds of interrupts.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all
-- param: top integer = 20 in 1..1000000  rows of the list

-- Exact percentiles of the listed ones without sorting each: rwk_wait is in order of the waits, which
-- are counted in blocks of 1024 of its rows, and this tells the block that holds the wanted rank.
DROP TABLE IF EXISTS temp.rwk_name;
CREATE TEMP TABLE rwk_name (
	utid INTEGER PRIMARY KEY,
	number INTEGER -- the same for the same name in a run; 1 to 3 are interrupts
);
INSERT INTO rwk_name
SELECT utid, DENSE_RANK() OVER (ORDER BY run_id, name) + 3 FROM task;

DROP TABLE IF EXISTS temp.rwk_wait;
CREATE TEMP TABLE rwk_wait AS
-- Whoever an interrupt came upon did not wake.
SELECT
	(CASE w.context WHEN 'softirq' THEN 1 WHEN 'hardirq' THEN 2 WHEN 'nmi' THEN 3 ELSE coalesce(a.number, 0) END << 32)
		| coalesce(b.number, 0) AS key,
	w.run_dur AS run_dur, w.prev_cpu <> w.target_cpu AS moved
FROM wakeup w
LEFT JOIN rwk_name a ON a.utid = w.waker_utid
LEFT JOIN rwk_name b ON b.utid = w.wakee_utid
WHERE w.kind = 'decision' AND w.run_id = coalesce(:run, w.run_id)
ORDER BY w.run_dur;

DROP TABLE IF EXISTS temp.rwk_block;
CREATE TEMP TABLE rwk_block AS
SELECT
	key, rowid >> 10 AS block, COUNT(*) AS decisions, COUNT(run_dur) AS waits, SUM(run_dur) AS sum_dur,
	MAX(run_dur) AS max_dur, SUM(moved) AS moved, COUNT(moved) AS moved_known
FROM rwk_wait
GROUP BY 1, 2;

DROP TABLE IF EXISTS temp.rwk_top;
CREATE TEMP TABLE rwk_top (
	key INTEGER PRIMARY KEY,
	decisions, waits, sum_dur, max_dur, moved, moved_known
);
INSERT INTO rwk_top
SELECT
	key, SUM(decisions), SUM(waits), SUM(sum_dur) AS sum_dur, MAX(max_dur), SUM(moved), SUM(moved_known)
FROM rwk_block
GROUP BY key
ORDER BY sum_dur DESC, key
LIMIT coalesce(:top, 20);

-- section: Wakers and wakees by name, the longest waits in all first
WITH named AS MATERIALIZED (
	SELECT number, MIN(utid) AS utid FROM rwk_name GROUP BY number
),
upto AS MATERIALIZED (
	SELECT
		key, block, waits,
		SUM(waits) OVER (PARTITION BY key ORDER BY block) AS upto,
		SUM(waits) OVER (PARTITION BY key) AS of
	FROM rwk_block
	WHERE key IN (SELECT key FROM rwk_top) AND waits > 0
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
	coalesce(y.run_id, x.run_id) AS run,
	CASE t.key >> 32 WHEN 1 THEN '(softirq)' WHEN 2 THEN '(hardirq)' WHEN 3 THEN '(nmi)' ELSE coalesce(x.name, '?') END AS waker,
	coalesce(y.name, '?') AS wakee,
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
LEFT JOIN named a ON a.number = t.key >> 32
LEFT JOIN named b ON b.number = t.key & 0xffffffff
LEFT JOIN task x ON x.utid = a.utid
LEFT JOIN task y ON y.utid = b.utid
ORDER BY t.sum_dur DESC, t.key;

-- include: losses
