CREATE VIEW decision AS
-- One row per wakeup for which the kernel chose a CPU, with names and distances.
SELECT
	w.id AS id, -- wakeup
	(w.id >> 40) + 1 AS run_id, -- run
	w.ts AS ts, -- time of the waking
	w.waker_utid AS waker_utid, -- waker
	a.comm AS waker, -- its name
	w.wakee_utid AS wakee_utid, -- wakee
	b.comm AS wakee, -- its name
	CASE w.bits >> 7 & 7
		WHEN 0 THEN 'task'
		WHEN 1 THEN 'idle'
		WHEN 2 THEN 'softirq'
		WHEN 3 THEN 'hardirq'
		WHEN 4 THEN 'nmi'
	END AS context, -- what woke; the waker was merely interrupted unless task or idle
	(w.cpus & 0x7ff) - 1 AS cpu, -- CPU that woke
	NULLIF((w.cpus >> 11 & 0x7ff) - 1, -1) AS prev_cpu, -- previous CPU of the wakee
	NULLIF((w.cpus >> 22 & 0x7ff) - 1, -1) AS target_cpu, -- CPU chosen by the kernel
	CASE WHEN w.cpus >> 11 & 0x7ff AND w.cpus >> 22 & 0x7ff THEN
		(w.cpus >> 11 & 0x7ff) <> (w.cpus >> 22 & 0x7ff)
	END AS moved, -- 1: not the previous CPU; NULL unknown
	CASE
		WHEN w.cpus >> 22 & 0x7ff = 0 THEN NULL
		WHEN (w.cpus & 0x7ff) = (w.cpus >> 22 & 0x7ff) THEN 'same_cpu'
		WHEN t.core = c.core THEN 'smt'
		WHEN t.llc = c.llc THEN 'llc'
		WHEN t.node = c.node THEN 'node'
		WHEN t.node <> c.node THEN 'remote'
	END AS waker_distance, -- from the waker's CPU to the chosen one: same_cpu, smt, llc, node, remote; NULL unknown
	CASE
		WHEN w.cpus >> 22 & 0x7ff = 0 OR w.cpus >> 11 & 0x7ff = 0 THEN NULL
		WHEN (w.cpus >> 11 & 0x7ff) = (w.cpus >> 22 & 0x7ff) THEN 'same_cpu'
		WHEN t.core = p.core THEN 'smt'
		WHEN t.llc = p.llc THEN 'llc'
		WHEN t.node = p.node THEN 'node'
		WHEN t.node <> p.node THEN 'remote'
	END AS prev_distance, -- from the previous CPU to the chosen one
	CASE WHEN w.bits >> 11 & 7 THEN w.bits >> 10 & 1 END AS sync, -- sync flag; NULL unknown
	CASE w.bits >> 11 & 7
		WHEN 0 THEN 'unknown'
		WHEN 1 THEN 'inferred'
		WHEN 2 THEN 'rebuilt'
		WHEN 3 THEN 'calibrated'
		WHEN 4 THEN 'probed'
	END AS sync_source, -- how sync is known
	w.wakeup_dur AS wakeup_dur, -- time from waking to sched_wakeup
	w.run_dur AS run_dur -- time from waking to first run
FROM t_wakeup w
JOIN t_run r ON r.id = (w.id >> 40) + 1
LEFT JOIN t_task a ON a.utid = w.waker_utid
LEFT JOIN t_task b ON b.utid = w.wakee_utid
LEFT JOIN t_machine_cpu c ON c.machine_id = r.machine_id AND c.cpu = (w.cpus & 0x7ff) - 1
LEFT JOIN t_machine_cpu p ON p.machine_id = r.machine_id AND p.cpu = (w.cpus >> 11 & 0x7ff) - 1
LEFT JOIN t_machine_cpu t ON t.machine_id = r.machine_id AND t.cpu = (w.cpus >> 22 & 0x7ff) - 1
WHERE w.bits & 0xf = 0;
