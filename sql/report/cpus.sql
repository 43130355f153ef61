-- What the CPUs did: how long idle, how many switches, who was woken onto them.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all
-- param: top integer = 20 in 1..1000000  rows of each list

DROP TABLE IF EXISTS temp.rwk_stay;
CREATE TEMP TABLE rwk_stay AS
-- Slices by task and CPU; dur has those without an end up to the last event.
SELECT
	c.run_id, c.cpu, c.utid, c.closed + c.open * e.last_ts - c.open_ts AS dur,
	MAX(c.longest, c.open * e.last_ts - c.open_ts) AS longest, c.runs, c.open, c.preempted
FROM (
	SELECT
		utid, cpu, MIN(run_id) AS run_id, coalesce(SUM(dur), 0) AS closed, coalesce(MAX(dur), 0) AS longest, COUNT(*) AS runs,
		SUM(dur IS NULL) AS open, SUM(CASE WHEN dur IS NULL THEN ts ELSE 0 END) AS open_ts,
		SUM(end_state IN ('R', 'R+')) AS preempted
	FROM slice
	WHERE run_id = coalesce(:run, run_id)
	GROUP BY utid, cpu
) c
JOIN run e ON e.run_id = c.run_id;

-- section: Time of each CPU; unknown: before its first event, and where events were lost
WITH sums AS (
	SELECT
		s.run_id, s.cpu,
		SUM(CASE WHEN t.idle_cpu IS NULL THEN 0 ELSE s.dur END) AS idle,
		SUM(CASE WHEN t.idle_cpu IS NULL THEN s.dur ELSE 0 END) AS busy,
		SUM(CASE WHEN t.idle_cpu IS NULL THEN s.runs ELSE 0 END) AS runs,
		SUM(s.open) AS open
	FROM rwk_stay s
	JOIN task t ON t.utid = s.utid
	GROUP BY s.run_id, s.cpu
),
placed AS (
	SELECT run_id, target_cpu AS cpu, COUNT(*) AS decisions, SUM(target_cpu <> prev_cpu) AS moved_here
	FROM wakeup
	WHERE kind = 'decision' AND target_cpu IS NOT NULL
	GROUP BY run_id, target_cpu
)
SELECT
	c.run_id AS run,
	c.cpu AS cpu,
	round(e.dur / 1000000.0, 2) AS span_ms,
	round(s.busy / 1000000.0, 2) AS busy_ms,
	round(s.idle / 1000000.0, 2) AS idle_ms,
	round((e.dur - coalesce(s.busy + s.idle, 0)) / 1000000.0, 2) AS unknown_ms,
	round(100.0 * s.busy / NULLIF(s.busy + s.idle, 0), 1) AS busy_pct,
	s.runs AS runs,
	s.open AS open_at_end,
	coalesce(p.decisions, 0) AS decisions_to,
	coalesce(p.moved_here, 0) AS moved_to
FROM run_cpu c
JOIN run e ON e.run_id = c.run_id
LEFT JOIN sums s ON s.run_id = c.run_id AND s.cpu = c.cpu
LEFT JOIN placed p ON p.run_id = c.run_id AND p.cpu = c.cpu
WHERE c.observed AND c.run_id = coalesce(:run, c.run_id)
ORDER BY c.run_id, c.cpu;

-- section: Tasks that ran most
SELECT
	s.run_id AS run,
	t.name AS task,
	t.tid AS tid,
	SUM(s.runs) AS runs,
	COUNT(*) AS cpus,
	round(SUM(s.dur) / 1000000.0, 2) AS ran_ms,
	round(MAX(s.longest) / 1000000.0, 2) AS longest_ms,
	coalesce(SUM(s.preempted), 0) AS preempted
FROM rwk_stay s
JOIN task t ON t.utid = s.utid
WHERE t.idle_cpu IS NULL
GROUP BY s.run_id, s.utid
ORDER BY SUM(s.dur) DESC, s.run_id, s.utid
LIMIT coalesce(:top, 20);

-- include: losses
