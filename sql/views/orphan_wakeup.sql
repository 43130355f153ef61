CREATE VIEW orphan_wakeup AS
-- One row per sched_wakeup that no sched_waking explains.
SELECT
	seq & 0xffffffffff AS seq, -- number of the event
	(seq >> 40) + 1 AS run_id, -- run
	ts AS ts, -- time
	NULLIF((bits & 0x7ff) - 1, -1) AS cpu, -- CPU that emitted it
	utid AS utid, -- task woken
	(bits >> 22 & 0xff) - 1 AS prio, -- its priority
	NULLIF((bits >> 11 & 0x7ff) - 1, -1) AS target_cpu -- CPU it was put on
FROM t_orphan;
