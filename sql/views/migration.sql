CREATE VIEW migration AS
-- One row per move of a task to another CPU.
SELECT
	id AS id, -- migration, in order of time
	(id >> 40) + 1 AS run_id, -- run
	seq & 0xffffffffff AS seq, -- number of the event
	ts AS ts, -- time
	NULLIF((cpus & 0x7ff) - 1, -1) AS cpu, -- CPU that moved it
	by_utid AS by_utid, -- task on that CPU
	utid AS utid, -- task moved
	CASE bits & 0xff WHEN 0 THEN NULL WHEN 255 THEN -1 ELSE (bits & 0xff) - 1 END AS prio, -- its priority: 100 to 139 fair, below real-time, -1 deadline; NULL unknown
	NULLIF((cpus >> 11 & 0x7ff) - 1, -1) AS orig_cpu, -- from
	NULLIF((cpus >> 22 & 0x7ff) - 1, -1) AS dest_cpu, -- to
	wakeup_id AS wakeup_id, -- wakeup it is part of; NULL: balancer, affinity, exec
	bits >> 8 & 1 AS synthetic -- 1: no event, the task was just seen elsewhere
FROM t_migration;
