-- Who wakes whom most, how far apart they land and how long they wait.

-- section: Heaviest waker-wakee pairs
SELECT
	e.run_id AS run,
	e.waker AS waker,
	a.tid AS waker_tid,
	e.wakee AS wakee,
	b.tid AS wakee_tid,
	e.count AS wakeups,
	e.decisions AS decisions,
	round(100.0 * e.moved / NULLIF(e.decisions, 0), 1) AS moved_pct,
	round(100.0 * e.from_irq / e.count, 1) AS irq_pct,
	round(100.0 * e.sync / NULLIF(e.sync_known, 0), 1) AS sync_pct,
	e.same_cpu AS same_cpu,
	e.smt AS smt,
	e.llc AS llc,
	e.node AS node,
	e.remote AS remote,
	e.distance_unknown AS unknown,
	round(e.mean_run_dur / 1000.0, 1) AS mean_us,
	round(e.max_run_dur / 1000.0, 1) AS max_us,
	CASE e.mutual WHEN 1 THEN 'yes' ELSE 'no' END AS mutual,
	e.waker_fanout AS fanout
FROM edge e
LEFT JOIN task a ON a.utid = e.waker_utid
LEFT JOIN task b ON b.utid = e.wakee_utid
ORDER BY e.count DESC, e.run_id, e.waker_utid, e.wakee_utid
LIMIT 40;

-- section: Wakers of most tasks
SELECT
	e.run_id AS run,
	e.waker AS waker,
	a.tid AS waker_tid,
	MAX(e.waker_fanout) AS fanout,
	SUM(e.count) AS wakeups,
	SUM(e.decisions) AS decisions,
	round(100.0 * SUM(e.from_irq) / SUM(e.count), 1) AS irq_pct,
	SUM(e.mutual) AS mutual
FROM edge e
LEFT JOIN task a ON a.utid = e.waker_utid
GROUP BY e.run_id, e.waker_utid
ORDER BY fanout DESC, wakeups DESC, e.run_id, e.waker_utid
LIMIT 20;

-- include: losses
