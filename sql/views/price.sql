CREATE VIEW price AS
-- One row per decision that a replay answers with another CPU than the kernel: what both would cost by the recorded future.
SELECT
	x.replay_id AS replay_id, -- replay
	x.wakeup_id AS wakeup_id, -- wakeup
	CASE x.bits & 7
		WHEN 0 THEN 'idle'
		WHEN 1 THEN 'busy'
		WHEN 2 THEN 'unpriced'
		WHEN 3 THEN 'unpriced'
		WHEN 4 THEN 'unpriced'
		WHEN 5 THEN 'unpriced'
	END AS price, -- of the policy's CPU: idle, busy, unpriced
	CASE x.bits >> 3 & 7
		WHEN 0 THEN 'idle'
		WHEN 1 THEN 'busy'
		WHEN 2 THEN 'unpriced'
		WHEN 3 THEN 'unpriced'
		WHEN 4 THEN 'unpriced'
		WHEN 5 THEN 'unpriced'
	END AS kernel_price, -- of the kernel's CPU
	CASE x.bits & 7 WHEN 0 THEN r.idle_wait ELSE x.wait END AS wait_dur, -- expected wait on the policy's CPU. idle: the run's median; busy: until the task there left, preemption by the wakee not modelled; NULL unpriced
	CASE x.bits >> 3 & 7 WHEN 0 THEN r.idle_wait ELSE x.kernel_wait END AS kernel_wait_dur, -- the same on the kernel's CPU
	CASE
		WHEN x.bits & 63 = 0 THEN 0
		ELSE (CASE x.bits & 7 WHEN 0 THEN r.idle_wait ELSE x.wait END) - (CASE x.bits >> 3 & 7 WHEN 0 THEN r.idle_wait ELSE x.kernel_wait END)
	END AS extra_dur, -- wait_dur - kernel_wait_dur; NULL: not both are priced
	CASE x.bits & 7
		WHEN 2 THEN 'policy: unknown task'
		WHEN 3 THEN 'policy: events lost'
		WHEN 4 THEN 'policy: trace ended'
		WHEN 5 THEN 'policy: longer than 1 s'
		ELSE CASE x.bits >> 3 & 7
		WHEN 2 THEN 'kernel: unknown task'
		WHEN 3 THEN 'kernel: events lost'
		WHEN 4 THEN 'kernel: trace ended'
		WHEN 5 THEN 'kernel: longer than 1 s'
			ELSE CASE WHEN x.bits & 63 <> 0 AND (x.bits & 7 = 0 OR x.bits >> 3 & 7 = 0) AND r.idle_wait IS NULL
				THEN 'no wakeup of an idle CPU' END
		END
	END AS unpriced, -- whose CPU has no price and why; the policy's first; NULL: both have one
	x.bits >> 6 & 1 AS passed_idle, -- 1: the policy's CPU was busy although an allowed CPU of its cache domain was idle
	x.bits >> 7 & 1 AS waker_slept, -- 1: the waker went to sleep within 200 us
	CASE x.bits >> 8 & 7
		WHEN 1 THEN 'none'
		WHEN 2 THEN 'recent_cpu'
		WHEN 3 THEN 'nr_idle_scan'
		WHEN 4 THEN 'flips'
		WHEN 5 THEN 'idle_cores'
		WHEN 6 THEN 'sync'
	END AS explained_by, -- hidden value that would explain the miss, as in view miss; NULL: not a miss of the recorded kernel's model
	r.run_id AS run_id -- run
FROM t_price x
JOIN t_replay r ON r.id = x.replay_id;
