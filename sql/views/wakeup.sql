CREATE VIEW wakeup AS
-- One row per sched_waking or sched_wakeup_new.
SELECT
	id AS id, -- wakeup, in order of time
	(id >> 40) + 1 AS run_id, -- run
	seq & 0xffffffffff AS seq, -- number of the event
	ts AS ts, -- time of the event
	(cpus & 0x7ff) - 1 AS cpu, -- CPU that woke
	CASE bits >> 7 & 7
		WHEN 0 THEN 'task'
		WHEN 1 THEN 'idle'
		WHEN 2 THEN 'softirq'
		WHEN 3 THEN 'hardirq'
		WHEN 4 THEN 'nmi'
	END AS context, -- what woke: task, idle task, softirq, hardirq, nmi; NULL unknown
	waker_utid AS waker_utid, -- task on that CPU, merely interrupted when context is an interrupt
	wakee_utid AS wakee_utid, -- task woken
	CASE bits >> 20 & 0xff WHEN 0 THEN NULL WHEN 255 THEN -1 ELSE (bits >> 20 & 0xff) - 1 END AS prio, -- its priority: 100 to 139 fair, below real-time, -1 deadline; NULL unknown
	NULLIF((cpus >> 11 & 0x7ff) - 1, -1) AS prev_cpu, -- previous CPU; NULL unknown
	NULLIF((cpus >> 22 & 0x7ff) - 1, -1) AS target_cpu, -- CPU chosen by the kernel; NULL unknown
	CASE bits >> 14 & 7
		WHEN 0 THEN 'unknown'
		WHEN 1 THEN 'probe'
		WHEN 2 THEN 'migrate'
		WHEN 3 THEN 'wakeup'
		WHEN 4 THEN 'run'
	END AS target_source, -- where target_cpu was read, best first: probe, migrate, wakeup, run; unknown
	CASE bits & 0xf
		WHEN 0 THEN 'decision'
		WHEN 1 THEN 'no_choice'
		WHEN 2 THEN 'queued'
		WHEN 3 THEN 'on_cpu'
		WHEN 4 THEN 'self'
		WHEN 5 THEN 'other_class'
		WHEN 6 THEN 'new'
		WHEN 7 THEN 'spurious'
		WHEN 8 THEN 'unknown'
	END AS kind, -- decision, or why there was none: no_choice, queued, on_cpu, self, other_class, spurious; new task; unknown
	CASE bits >> 4 & 7
		WHEN 0 THEN 'unknown'
		WHEN 1 THEN 'inferred'
		WHEN 2 THEN 'rebuilt'
		WHEN 3 THEN 'calibrated'
		WHEN 4 THEN 'probed'
	END AS kind_source, -- how kind is known: probed, calibrated, rebuilt, inferred, unknown
	CASE WHEN bits >> 11 & 7 THEN bits >> 10 & 1 END AS sync, -- sync flag of the wakeup; NULL unknown
	CASE bits >> 11 & 7
		WHEN 0 THEN 'unknown'
		WHEN 1 THEN 'inferred'
		WHEN 2 THEN 'rebuilt'
		WHEN 3 THEN 'calibrated'
		WHEN 4 THEN 'probed'
	END AS sync_source, -- how sync is known
	bits >> 28 & 1 AS waker_exiting, -- 1: the waker was on its way out, where the kernel ignores sync; inferred
	(seq + wakeup_dseq) & 0xffffffffff AS wakeup_seq, -- number of its sched_wakeup; NULL: none seen
	NULLIF((cpus >> 33 & 0x7ff) - 1, -1) AS wakeup_cpu, -- CPU that emitted it; not cpu: by interrupt
	wakeup_dur AS wakeup_dur, -- time from waking to sched_wakeup
	NULLIF((cpus >> 44 & 0x7ff) - 1, -1) AS run_cpu, -- CPU on which the wakee ran first
	run_dur AS run_dur, -- time from waking to that
	CASE bits >> 17 & 7
		WHEN 1 THEN 'end'
		WHEN 2 THEN 'loss'
		WHEN 3 THEN 'gone'
		WHEN 4 THEN 'running'
	END AS censor, -- why a time is missing: end of trace, loss, gone (never seen to run), running (on a CPU already); NULL: none is
	(seq + probe_dseq) & 0xffffffffff AS probe_seq -- its probe's entry; NULL: not probed
FROM t_wakeup;
