-- Stacking: wakees put on their waker's own CPU, where they wait until it lets them run.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all
-- param: top integer = 20 in 1..1000000  rows of each list
-- param: long_us real = 100 in 0..1000000000  waits above this many microseconds are counted as long

DROP TABLE IF EXISTS temp.rwk_stack;
CREATE TEMP TABLE rwk_stack AS
-- Decisions of tasks by pair, stacked on the waker's CPU or put elsewhere.
SELECT
	run_id, waker_utid, wakee_utid, target_cpu = cpu AS stacked,
	COUNT(*) AS decisions,
	COUNT(run_dur) AS waits,
	SUM(run_dur) AS sum_dur,
	MAX(run_dur) AS max_dur,
	SUM(run_dur > coalesce(:long_us, 100) * 1000) AS long,
	SUM(prev_cpu <> target_cpu) AS pulled,
	SUM(run_cpu <> target_cpu) AS taken_away,
	SUM(sync) AS sync,
	COUNT(sync) AS sync_known
FROM wakeup
WHERE kind = 'decision' AND context = 'task' AND target_cpu IS NOT NULL AND run_id = coalesce(:run, run_id)
GROUP BY run_id, waker_utid, wakee_utid, stacked;

-- section: Decisions of wakers that are tasks
SELECT
	run_id AS run,
	CASE stacked WHEN 1 THEN 'on the waker''s CPU' ELSE 'elsewhere' END AS placed,
	SUM(decisions) AS decisions,
	SUM(decisions) - SUM(waits) AS unknown,
	round(SUM(sum_dur) / 1000.0 / NULLIF(SUM(waits), 0), 1) AS mean_us,
	round(MAX(max_dur) / 1000.0, 1) AS max_us,
	round(SUM(sum_dur) / 1000000.0, 3) AS sum_ms,
	coalesce(SUM(long), 0) AS long,
	coalesce(SUM(taken_away), 0) AS ran_elsewhere
FROM rwk_stack
GROUP BY run_id, stacked
ORDER BY run_id, stacked DESC;

-- section: Pairs whose wakee waited longest on the waker's CPU in all
WITH named AS (
	SELECT s.*, coalesce(a.name, '?') AS waker, coalesce(b.name, '?') AS wakee
	FROM rwk_stack s
	LEFT JOIN task a ON a.utid = s.waker_utid
	LEFT JOIN task b ON b.utid = s.wakee_utid
)
SELECT
	run_id AS run,
	waker AS waker,
	wakee AS wakee,
	SUM(decisions) AS decisions,
	SUM(CASE WHEN stacked THEN decisions ELSE 0 END) AS stacked,
	round(100.0 * SUM(CASE WHEN stacked THEN decisions ELSE 0 END) / SUM(decisions), 1) AS stacked_pct,
	SUM(CASE WHEN stacked THEN pulled END) AS pulled,
	round(100.0 * SUM(CASE WHEN stacked THEN sync END) / NULLIF(SUM(CASE WHEN stacked THEN sync_known END), 0), 1) AS sync_pct,
	round(SUM(CASE WHEN stacked THEN sum_dur END) / 1000.0 / NULLIF(SUM(CASE WHEN stacked THEN waits END), 0), 1) AS mean_us,
	round(MAX(CASE WHEN stacked THEN max_dur END) / 1000.0, 1) AS max_us,
	round(SUM(CASE WHEN stacked THEN sum_dur END) / 1000000.0, 3) AS sum_ms,
	coalesce(SUM(CASE WHEN stacked THEN long END), 0) AS long,
	round(SUM(CASE WHEN NOT stacked THEN sum_dur END) / 1000.0 / NULLIF(SUM(CASE WHEN NOT stacked THEN waits END), 0), 1) AS elsewhere_us
FROM named
GROUP BY run_id, waker, wakee
HAVING SUM(stacked)
ORDER BY SUM(CASE WHEN stacked THEN sum_dur END) DESC, run_id, waker, wakee
LIMIT coalesce(:top, 20);

-- include: losses
