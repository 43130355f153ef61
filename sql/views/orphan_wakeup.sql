CREATE VIEW orphan_wakeup AS
-- One row per sched_wakeup that no sched_waking explains.
SELECT
	seq & 0xffffffffff AS seq, -- number of the event
	(seq >> 40) + 1 AS run_id, -- run
	ts AS ts, -- time
	NULLIF((bits & 0x7ff) - 1, -1) AS cpu, -- CPU that emitted it
	utid AS utid, -- task woken
	CASE bits >> 22 & 0xff WHEN 0 THEN NULL WHEN 255 THEN -1 ELSE (bits >> 22 & 0xff) - 1 END AS prio, -- its priority: 100 to 139 fair, below real-time, -1 deadline; NULL unknown
	NULLIF((bits >> 11 & 0x7ff) - 1, -1) AS target_cpu -- CPU it was put on
FROM t_orphan;
