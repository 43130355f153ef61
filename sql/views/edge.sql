CREATE VIEW edge AS
-- One row per pair of waker and wakee.
SELECT
	(e.wakee_utid >> 40) + 1 AS run_id, -- run
	a.utid AS waker_utid, -- waker; NULL unknown
	a.comm AS waker, -- its name
	b.utid AS wakee_utid, -- wakee; NULL unknown
	b.comm AS wakee, -- its name
	e.count AS count, -- wakings of every kind
	e.decisions AS decisions, -- of them decisions
	e.moved AS moved, -- decisions away from the wakee's previous CPU
	e.from_irq AS from_irq, -- wakings in interrupt context: the waker was merely interrupted
	e.sync AS sync, -- wakings with the sync flag
	e.sync_known AS sync_known, -- wakings where that flag is known
	e.d_same_cpu AS same_cpu, -- decisions by distance from waker to chosen CPU: the waker's own
	e.d_smt AS smt, -- same core
	e.d_llc AS llc, -- same last-level cache
	e.d_node AS node, -- same node
	e.d_remote AS remote, -- other node
	e.d_unknown AS distance_unknown, -- unknown
	e.nr_run AS nr_run, -- wakings with a known time to first run
	CASE WHEN e.nr_run THEN e.sum_run / e.nr_run END AS mean_run_dur, -- mean of these times
	CASE WHEN e.nr_run THEN e.max_run END AS max_run_dur, -- longest of them
	e.mutual AS mutual, -- 1: the wakee also wakes the waker
	e.waker_fanout AS waker_fanout -- different tasks that the waker wakes
FROM t_edge e
LEFT JOIN t_task a ON a.utid = e.waker_utid
LEFT JOIN t_task b ON b.utid = e.wakee_utid;
