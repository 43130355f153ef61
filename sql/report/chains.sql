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
-- Wakings by a task, with the latest waking of that task before.
SELECT
	CASE
		WHEN v.id IS NULL THEN 0
		WHEN v.context IN ('task', 'idle') THEN 1
		WHEN v.context IS NOT NULL THEN 2
		ELSE 3
	END AS link, -- 0 there is none, 2 from an interrupt, 3 nobody knows from what
	v.waker_utid AS a_utid,
	w.waker_utid AS b_utid,
	w.wakee_utid AS c_utid,
	MIN(w.run_id) AS run_id,
	COUNT(*) AS count,
	SUM(w.ts - v.ts) AS sum_dur,
	MIN(w.ts - v.ts) AS min_dur,
	MAX(w.ts - v.ts) AS max_dur
FROM wakeup w
LEFT JOIN wakeup v ON v.id = (SELECT e.id FROM rwk_woken e WHERE e.utid = w.waker_utid AND e.id < w.id ORDER BY e.id DESC LIMIT 1)
WHERE w.context = 'task' AND w.waker_utid IS NOT NULL AND w.run_id = coalesce(:run, w.run_id)
GROUP BY 1, 2, 3, 4;

-- section: Wakings by tasks
SELECT
	run_id AS run,
	SUM(count) AS wakings,
	SUM(CASE WHEN link THEN count ELSE 0 END) AS linked,
	SUM(CASE link WHEN 2 THEN count ELSE 0 END) AS begun_by_irq,
	SUM(CASE link WHEN 0 THEN count ELSE 0 END) AS waker_never_woken
FROM rwk_chain
GROUP BY run_id
ORDER BY run_id;

-- section: Chains of three, by name; interrupt: whoever was interrupted, it did not wake
SELECT
	c.run_id AS run,
	CASE c.link WHEN 2 THEN '(interrupt)' WHEN 3 THEN '?' ELSE coalesce(x.name, '?') END AS first,
	coalesce(y.name, '?') AS second,
	coalesce(z.name, '?') AS third,
	SUM(c.count) AS count,
	SUM(CASE WHEN c.link = 1 AND c.a_utid = c.c_utid THEN c.count ELSE 0 END) AS back_to_first,
	COUNT(DISTINCT c.b_utid) AS middles,
	round(MIN(c.min_dur) / 1000.0, 1) AS min_us,
	round(SUM(c.sum_dur) / 1000.0 / SUM(c.count), 1) AS mean_us,
	round(MAX(c.max_dur) / 1000.0, 1) AS max_us
FROM rwk_chain c
LEFT JOIN task x ON x.utid = c.a_utid
LEFT JOIN task y ON y.utid = c.b_utid
LEFT JOIN task z ON z.utid = c.c_utid
WHERE c.link
GROUP BY c.run_id, 2, 3, 4
ORDER BY count DESC, c.run_id, first, second, third
LIMIT coalesce(:top, 20);

-- include: losses
