-- How tasks came to other CPUs: placed there when woken, or moved by the balancer.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all
-- param: top integer = 20 in 1..1000000  rows of each list

DROP TABLE IF EXISTS temp.rwk_move;
CREATE TEMP TABLE rwk_move AS
-- Migrations by task, CPUs and cause.
SELECT
	run_id, utid, orig_cpu, dest_cpu,
	CASE WHEN wakeup_id IS NOT NULL THEN 1 WHEN synthetic THEN 3 ELSE 2 END AS cause,
	COUNT(*) AS count
FROM migration
WHERE run_id = coalesce(:run, run_id)
GROUP BY run_id, utid, orig_cpu, dest_cpu, cause;

-- section: By cause and distance
SELECT
	m.run_id AS run,
	CASE m.cause
		WHEN 1 THEN 'at wakeup'
		WHEN 2 THEN 'balancer, affinity, exec'
		WHEN 3 THEN 'unseen: met on another CPU'
	END AS cause,
	SUM(m.count) AS moves,
	round(100.0 * SUM(m.count) / t.all_of, 1) AS percent,
	SUM(CASE WHEN a.core = b.core THEN m.count ELSE 0 END) AS smt,
	SUM(CASE WHEN a.core <> b.core AND a.llc = b.llc THEN m.count ELSE 0 END) AS llc,
	SUM(CASE WHEN a.llc <> b.llc AND a.node = b.node THEN m.count ELSE 0 END) AS node,
	SUM(CASE WHEN a.node <> b.node AND a.llc <> b.llc THEN m.count ELSE 0 END) AS remote,
	SUM(CASE WHEN a.core IS NULL OR b.core IS NULL OR a.llc IS NULL OR b.llc IS NULL OR a.node IS NULL
		OR b.node IS NULL THEN m.count ELSE 0 END) AS unknown
FROM rwk_move m
JOIN run r ON r.run_id = m.run_id
JOIN (SELECT run_id, SUM(count) AS all_of FROM rwk_move GROUP BY run_id) t ON t.run_id = m.run_id
LEFT JOIN machine_cpu a ON a.machine_id = r.machine_id AND a.cpu = m.orig_cpu
LEFT JOIN machine_cpu b ON b.machine_id = r.machine_id AND b.cpu = m.dest_cpu
GROUP BY m.run_id, m.cause
ORDER BY m.run_id, m.cause;

-- section: Tasks that moved most
SELECT
	m.run_id AS run,
	t.name AS task,
	t.tid AS tid,
	SUM(m.count) AS moves,
	SUM(CASE m.cause WHEN 1 THEN m.count ELSE 0 END) AS at_wakeup,
	SUM(CASE m.cause WHEN 2 THEN m.count ELSE 0 END) AS balancer,
	SUM(CASE m.cause WHEN 3 THEN m.count ELSE 0 END) AS unseen,
	COUNT(DISTINCT m.dest_cpu) AS cpus
FROM rwk_move m
LEFT JOIN task t ON t.utid = m.utid
GROUP BY m.run_id, m.utid
ORDER BY moves DESC, m.run_id, m.utid
LIMIT coalesce(:top, 20);

-- section: CPUs left and reached
SELECT
	c.run_id AS run,
	c.cpu AS cpu,
	coalesce((SELECT SUM(count) FROM rwk_move WHERE run_id = c.run_id AND orig_cpu = c.cpu AND cause = 1), 0) AS left_at_wakeup,
	coalesce((SELECT SUM(count) FROM rwk_move WHERE run_id = c.run_id AND dest_cpu = c.cpu AND cause = 1), 0) AS reached_at_wakeup,
	coalesce((SELECT SUM(count) FROM rwk_move WHERE run_id = c.run_id AND orig_cpu = c.cpu AND cause <> 1), 0) AS left_otherwise,
	coalesce((SELECT SUM(count) FROM rwk_move WHERE run_id = c.run_id AND dest_cpu = c.cpu AND cause <> 1), 0) AS reached_otherwise
FROM run_cpu c
WHERE c.observed AND c.run_id = coalesce(:run, c.run_id)
ORDER BY c.run_id, c.cpu;

-- include: losses
