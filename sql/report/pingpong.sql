-- Tasks that bounce between CPUs: they leave one and come back to it with the next move.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all
-- param: top integer = 20 in 1..1000000  rows of each list

DROP TABLE IF EXISTS temp.rwk_bounce;
CREATE TEMP TABLE rwk_bounce AS
-- Moves that take back the move before.
SELECT run_id, utid, orig_cpu, dest_cpu, ts - before_ts AS dur, at_wakeup, dest_cpu = before_orig AND orig_cpu = before_dest AS back
FROM (
	SELECT
		run_id, utid, orig_cpu, dest_cpu, ts, wakeup_id IS NOT NULL AS at_wakeup,
		LAG(ts) OVER task AS before_ts,
		LAG(orig_cpu) OVER task AS before_orig,
		LAG(dest_cpu) OVER task AS before_dest
	FROM migration
	WHERE utid IS NOT NULL AND run_id = coalesce(:run, run_id)
	WINDOW task AS (PARTITION BY utid ORDER BY id)
);

-- section: Tasks by moves back
SELECT
	b.run_id AS run,
	t.name AS task,
	t.tid AS tid,
	COUNT(*) AS moves,
	coalesce(SUM(b.back), 0) AS back,
	round(100.0 * coalesce(SUM(b.back), 0) / COUNT(*), 1) AS back_pct,
	SUM(CASE WHEN b.back AND b.at_wakeup THEN 1 ELSE 0 END) AS back_at_wakeup,
	round(MIN(CASE WHEN b.back THEN b.dur END) / 1000.0, 1) AS shortest_us,
	round(AVG(CASE WHEN b.back THEN b.dur END) / 1000.0, 1) AS mean_us,
	COUNT(DISTINCT b.dest_cpu) AS cpus
FROM rwk_bounce b
JOIN task t ON t.utid = b.utid
GROUP BY b.run_id, b.utid
HAVING SUM(b.back) > 0
ORDER BY back DESC, moves DESC, b.run_id, b.utid
LIMIT coalesce(:top, 20);

-- section: Between which CPUs
SELECT
	b.run_id AS run,
	MIN(b.orig_cpu, b.dest_cpu) AS cpu,
	MAX(b.orig_cpu, b.dest_cpu) AS other_cpu,
	CASE
		WHEN x.core = y.core THEN 'smt'
		WHEN x.llc = y.llc THEN 'llc'
		WHEN x.node = y.node THEN 'node'
		WHEN x.node <> y.node THEN 'remote'
	END AS distance,
	COUNT(*) AS back,
	COUNT(DISTINCT b.utid) AS tasks
FROM rwk_bounce b
JOIN run r ON r.run_id = b.run_id
LEFT JOIN machine_cpu x ON x.machine_id = r.machine_id AND x.cpu = b.orig_cpu
LEFT JOIN machine_cpu y ON y.machine_id = r.machine_id AND y.cpu = b.dest_cpu
WHERE b.back
GROUP BY b.run_id, 2, 3
ORDER BY back DESC, b.run_id, cpu, other_cpu
LIMIT coalesce(:top, 20);

-- include: losses
