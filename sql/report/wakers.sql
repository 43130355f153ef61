-- Who wakes whom most, how far apart they land and how long they wait; mutual pairs, and wakers of many.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all
-- param: top integer = 40 in 1..1000000  rows of each list

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
WHERE e.run_id = coalesce(:run, e.run_id)
ORDER BY e.count DESC, e.run_id, e.waker_utid, e.wakee_utid
LIMIT coalesce(:top, 40);

-- section: Mutual pairs: both wake each other
SELECT
	e.run_id AS run,
	e.waker AS one,
	a.tid AS one_tid,
	e.wakee AS other,
	b.tid AS other_tid,
	e.count AS one_wakes,
	o.count AS other_wakes,
	round(100.0 * (e.moved + o.moved) / NULLIF(e.decisions + o.decisions, 0), 1) AS moved_pct,
	round(100.0 * (e.same_cpu + o.same_cpu) / NULLIF(e.decisions + o.decisions, 0), 1) AS same_cpu_pct,
	round(100.0 * (e.sync + o.sync) / NULLIF(e.sync_known + o.sync_known, 0), 1) AS sync_pct,
	round((e.mean_run_dur * e.nr_run + o.mean_run_dur * o.nr_run) / 1000.0 / (e.nr_run + o.nr_run), 1) AS mean_us
FROM edge e
JOIN edge o ON o.waker_utid = e.wakee_utid AND o.wakee_utid = e.waker_utid
JOIN task a ON a.utid = e.waker_utid
JOIN task b ON b.utid = e.wakee_utid
WHERE e.mutual AND e.waker_utid < e.wakee_utid AND e.run_id = coalesce(:run, e.run_id)
ORDER BY e.count + o.count DESC, e.run_id, e.waker_utid, e.wakee_utid
LIMIT coalesce(:top, 40);

-- section: Wakers of most tasks; wide: at least as many as CPUs share its cache, which wake_wide() looks for
SELECT
	e.run_id AS run,
	e.waker AS waker,
	a.tid AS waker_tid,
	MAX(e.waker_fanout) AS fanout,
	c.nr_cpus AS llc_cpus,
	CASE WHEN MAX(e.waker_fanout) >= c.nr_cpus THEN 'yes' WHEN c.nr_cpus THEN 'no' END AS wide,
	SUM(e.count) AS wakeups,
	SUM(e.decisions) AS decisions,
	round(100.0 * SUM(e.from_irq) / SUM(e.count), 1) AS irq_pct,
	SUM(e.mutual) AS mutual
FROM edge e
LEFT JOIN task a ON a.utid = e.waker_utid
LEFT JOIN (
	SELECT r.run_id, MAX(k.nr_cpus) AS nr_cpus
	FROM run r
	JOIN machine_cache k ON k.machine_id = r.machine_id AND k.level IS NULL
	GROUP BY r.run_id
) c ON c.run_id = e.run_id
WHERE e.run_id = coalesce(:run, e.run_id)
GROUP BY e.run_id, e.waker_utid
ORDER BY fanout DESC, wakeups DESC, e.run_id, e.waker_utid
LIMIT coalesce(:top, 40);

-- include: losses
