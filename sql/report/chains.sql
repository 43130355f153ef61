-- Chains: A wakes B, and B then wakes C; how often, and how long it takes from the first waking to the second.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all
-- param: top integer = 20 in 1..1000000  rows of each list

DROP TABLE IF EXISTS temp.rwk_woken;
CREATE TEMP TABLE rwk_woken (
	utid INTEGER,
	id INTEGER,
	PRIMARY KEY (utid, id)
) WITHOUT ROWID;
INSERT INTO rwk_woken
SELECT wakee_utid, id
FROM wakeup
WHERE wakee_utid IS NOT NULL AND run_id = coalesce(:run, run_id)
ORDER BY wakee_utid, id;

DROP TABLE IF EXISTS temp.rwk_chain;
CREATE TEMP TABLE rwk_chain AS
-- Wakings by a task, with the latest waking of that task before; by_irq: that came from an interrupt.
SELECT
	w.run_id AS run_id,
	v.id IS NOT NULL AS linked,
	v.context NOT IN ('task', 'idle') AS by_irq,
	v.waker_utid AS a_utid,
	w.waker_utid AS b_utid,
	w.wakee_utid AS c_utid,
	COUNT(*) AS count,
	SUM(w.ts - v.ts) AS sum_dur,
	MIN(w.ts - v.ts) AS min_dur,
	MAX(w.ts - v.ts) AS max_dur
FROM wakeup w
LEFT JOIN wakeup v ON v.id = (SELECT e.id FROM rwk_woken e WHERE e.utid = w.waker_utid AND e.id < w.id ORDER BY e.id DESC LIMIT 1)
WHERE w.context = 'task' AND w.waker_utid IS NOT NULL AND w.run_id = coalesce(:run, w.run_id)
GROUP BY 1, 2, 3, 4, 5, 6;

-- section: Wakings by tasks
SELECT
	run_id AS run,
	SUM(count) AS wakings,
	SUM(CASE WHEN linked THEN count ELSE 0 END) AS linked,
	SUM(CASE WHEN by_irq THEN count ELSE 0 END) AS begun_by_irq,
	SUM(CASE WHEN linked THEN 0 ELSE count END) AS waker_never_woken
FROM rwk_chain
GROUP BY run_id
ORDER BY run_id;

-- section: Chains of three, by name; interrupt: whoever was interrupted, it did not wake
SELECT
	c.run_id AS run,
	CASE WHEN c.by_irq THEN '(interrupt)' ELSE coalesce(x.name, '?') END AS first,
	coalesce(y.name, '?') AS second,
	coalesce(z.name, '?') AS third,
	SUM(c.count) AS count,
	SUM(CASE WHEN NOT c.by_irq AND c.a_utid = c.c_utid THEN c.count ELSE 0 END) AS back_to_first,
	COUNT(DISTINCT c.b_utid) AS middles,
	round(MIN(c.min_dur) / 1000.0, 1) AS min_us,
	round(SUM(c.sum_dur) / 1000.0 / SUM(c.count), 1) AS mean_us,
	round(MAX(c.max_dur) / 1000.0, 1) AS max_us
FROM rwk_chain c
LEFT JOIN task x ON x.utid = c.a_utid
LEFT JOIN task y ON y.utid = c.b_utid
LEFT JOIN task z ON z.utid = c.c_utid
WHERE c.linked
GROUP BY c.run_id, 2, 3, 4
ORDER BY count DESC, c.run_id, first, second, third
LIMIT coalesce(:top, 20);

-- include: losses
