-- What the CPUs did: how long idle, how many switches, who was woken onto them.

-- section: Time of each CPU
WITH span AS (
	SELECT run_id, MAX(last_ts) AS end_ts FROM run_cpu GROUP BY run_id
),
stay AS (
	SELECT
		s.run_id, s.cpu, COALESCE(s.dur, span.end_ts - s.ts) AS dur, t.idle_cpu IS NOT NULL AS idle, s.dur IS NULL AS open
	FROM slice s
	JOIN task t ON t.utid = s.utid
	JOIN span ON span.run_id = s.run_id
),
sums AS (
	SELECT
		run_id, cpu,
		SUM(CASE WHEN idle THEN dur ELSE 0 END) AS idle,
		SUM(CASE WHEN idle THEN 0 ELSE dur END) AS busy,
		COUNT(CASE WHEN NOT idle THEN 1 END) AS runs,
		SUM(open) AS open
	FROM stay
	GROUP BY run_id, cpu
),
placed AS (
	SELECT run_id, target_cpu AS cpu, COUNT(*) AS decisions, COUNT(CASE WHEN moved THEN 1 END) AS moved_here
	FROM decision
	WHERE target_cpu IS NOT NULL
	GROUP BY run_id, target_cpu
)
SELECT
	c.run_id AS run,
	c.cpu AS cpu,
	round((c.last_ts - c.first_ts) / 1000000.0, 2) AS span_ms,
	round(s.busy / 1000000.0, 2) AS busy_ms,
	round(s.idle / 1000000.0, 2) AS idle_ms,
	round(100.0 * s.busy / NULLIF(s.busy + s.idle, 0), 1) AS busy_pct,
	s.runs AS runs,
	s.open AS open_at_end,
	COALESCE(p.decisions, 0) AS decisions_to,
	COALESCE(p.moved_here, 0) AS moved_to
FROM run_cpu c
LEFT JOIN sums s ON s.run_id = c.run_id AND s.cpu = c.cpu
LEFT JOIN placed p ON p.run_id = c.run_id AND p.cpu = c.cpu
WHERE c.observed
ORDER BY c.run_id, c.cpu;

-- section: Tasks that ran most
SELECT
	s.run_id AS run,
	t.name AS task,
	t.tid AS tid,
	COUNT(*) AS runs,
	COUNT(DISTINCT s.cpu) AS cpus,
	round(SUM(s.dur) / 1000000.0, 2) AS ran_ms,
	round(MAX(s.dur) / 1000000.0, 2) AS longest_ms,
	COUNT(CASE WHEN s.end_state IN ('R', 'R+') THEN 1 END) AS preempted
FROM slice s
JOIN task t ON t.utid = s.utid
WHERE t.idle_cpu IS NULL
GROUP BY s.run_id, s.utid
ORDER BY SUM(s.dur) DESC, s.run_id, s.utid
LIMIT 20;

-- include: losses
