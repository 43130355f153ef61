-- Edges of the waker graph of run :run, heaviest first.  Nodes are numbers: of a task as in
-- graph_node.sql; else -4096 * kind - (cpu + 1 if :by_task), kind: 1 idle task, 2 softirq,
-- 3 hardirq, 4 nmi, 5 unknown (of no CPU).  An interrupt is a waker of its own, as the task that
-- it interrupted woke nobody.
WITH node AS (
	SELECT
		utid,
		CASE
			WHEN idle_cpu IS NOT NULL THEN -4096 - CASE WHEN :by_task THEN idle_cpu + 1 ELSE 0 END
			WHEN :by_task OR name IS NULL THEN utid
			ELSE MIN(utid) OVER (PARTITION BY name, idle_cpu IS NULL)
		END AS node
	FROM task
	WHERE run_id = :run
),
waking AS (
	SELECT
		CASE w.context
			WHEN 'softirq' THEN -8192 - CASE WHEN :by_task THEN w.cpu + 1 ELSE 0 END
			WHEN 'hardirq' THEN -12288 - CASE WHEN :by_task THEN w.cpu + 1 ELSE 0 END
			WHEN 'nmi' THEN -16384 - CASE WHEN :by_task THEN w.cpu + 1 ELSE 0 END
			ELSE COALESCE(a.node, -20480)
		END AS waker,
		COALESCE(b.node, -20480) AS wakee,
		w.context IS NULL AS context_unknown,
		w.sync AS sync,
		w.kind = 'decision' AS decision,
		CASE WHEN w.kind = 'decision' THEN w.prev_cpu <> w.target_cpu END AS moved,
		CASE
			WHEN w.kind <> 'decision' THEN NULL
			WHEN w.target_cpu IS NULL THEN 'unknown'
			WHEN w.cpu = w.target_cpu THEN 'same_cpu'
			WHEN t.core = c.core THEN 'smt'
			WHEN t.llc = c.llc THEN 'llc'
			WHEN t.node = c.node THEN 'node'
			WHEN t.node <> c.node THEN 'remote'
			ELSE 'unknown'
		END AS distance,
		w.run_dur AS wait
	FROM wakeup w
	JOIN run r ON r.run_id = :run
	LEFT JOIN node a ON a.utid = w.waker_utid
	LEFT JOIN node b ON b.utid = w.wakee_utid
	LEFT JOIN machine_cpu c ON c.machine_id = r.machine_id AND c.cpu = w.cpu
	LEFT JOIN machine_cpu t ON t.machine_id = r.machine_id AND t.cpu = w.target_cpu
	-- The same as w.run_id = :run, but without reading other runs.
	WHERE w.id >= (:run - 1) << 40 AND w.id < :run << 40
),
ranked AS (
	SELECT
		*,
		ROW_NUMBER() OVER (PARTITION BY waker, wakee, wait IS NULL ORDER BY wait) AS n,
		COUNT(wait) OVER (PARTITION BY waker, wakee) AS of
	FROM waking
),
pair AS (
	SELECT
		waker,
		wakee,
		COUNT(*) AS count,
		SUM(context_unknown) AS context_unknown,
		SUM(decision) AS decisions,
		SUM(moved) AS moved,
		COUNT(moved) AS moved_known,
		SUM(sync) AS sync,
		COUNT(sync) AS sync_known,
		COUNT(*) FILTER (WHERE distance = 'same_cpu') AS same_cpu,
		COUNT(*) FILTER (WHERE distance = 'smt') AS smt,
		COUNT(*) FILTER (WHERE distance = 'llc') AS llc,
		COUNT(*) FILTER (WHERE distance = 'node') AS node,
		COUNT(*) FILTER (WHERE distance = 'remote') AS remote,
		COUNT(*) FILTER (WHERE distance = 'unknown') AS distance_unknown,
		COUNT(wait) AS waits,
		MIN(CASE WHEN n * 2 >= of THEN wait END) AS median_wait,
		MAX(wait) AS max_wait
	FROM ranked
	GROUP BY waker, wakee
)
SELECT
	p.waker, p.wakee, p.count, p.context_unknown, p.decisions, p.moved, p.moved_known, p.sync, p.sync_known,
	p.same_cpu, p.smt, p.llc, p.node, p.remote, p.distance_unknown, p.waits, p.median_wait, p.max_wait,
	p.waker <> p.wakee AND o.waker IS NOT NULL AS mutual
FROM pair p
LEFT JOIN pair o ON o.waker = p.wakee AND o.wakee = p.waker
ORDER BY p.count DESC, p.waker, p.wakee
