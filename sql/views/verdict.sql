CREATE VIEW verdict AS
-- One row per answer of a policy to a wakeup.
SELECT
	v.replay_id AS replay_id, -- replay
	v.wakeup_id AS wakeup_id, -- wakeup
	p.name AS policy, -- policy
	NULLIF((v.bits & 0x7ff) - 1, -1) AS cpu, -- its answer; NULL: it could not
	a.name AS reason, -- the step that answered
	v.bits >> 15 & 0xff AS reason_code, -- the same as a number, see policy_reason
	d.name AS detail, -- how the CPU was arrived at around which it searched
	CASE WHEN v.bits >> 12 & 1 THEN v.bits >> 11 & 1 END AS agrees, -- 1: the kernel's CPU; NULL: that is unknown
	v.bits >> 13 & 1 AS interesting, -- 1: previous CPU was not idle or not what the kernel chose
	v.bits >> 14 & 1 AS violation, -- 1: the policy's own answer was not an allowed CPU
	NULLIF(substr(
		CASE WHEN v.bits >> 31 & 1 THEN ',topology' ELSE '' END ||
		CASE WHEN v.bits >> 32 & 1 THEN ',cpu_state' ELSE '' END ||
		CASE WHEN v.bits >> 33 & 1 THEN ',sync' ELSE '' END ||
		CASE WHEN v.bits >> 34 & 1 THEN ',affinity' ELSE '' END ||
		CASE WHEN v.bits >> 35 & 1 THEN ',flips' ELSE '' END ||
		CASE WHEN v.bits >> 36 & 1 THEN ',last_wakee' ELSE '' END ||
		CASE WHEN v.bits >> 37 & 1 THEN ',recent_cpu' ELSE '' END ||
		CASE WHEN v.bits >> 38 & 1 THEN ',idle_cores' ELSE '' END ||
		CASE WHEN v.bits >> 39 & 1 THEN ',nr_idle_scan' ELSE '' END ||
		CASE WHEN v.bits >> 40 & 1 THEN ',load' ELSE '' END ||
		CASE WHEN v.bits >> 41 & 1 THEN ',avg_run' ELSE '' END ||
		CASE WHEN v.bits >> 42 & 1 THEN ',avg_idle' ELSE '' END ||
		CASE WHEN v.bits >> 43 & 1 THEN ',recorded' ELSE '' END ||
		CASE WHEN v.bits >> 44 & 1 THEN ',delayed' ELSE '' END ||
		CASE WHEN v.bits >> 45 & 1 THEN ',queue' ELSE '' END ||
		CASE WHEN v.bits >> 46 & 1 THEN ',avg_overlap' ELSE '' END ||
		CASE WHEN v.bits >> 47 & 1 THEN ',run_total' ELSE '' END ||
		CASE WHEN v.bits >> 48 & 1 THEN ',sync_share' ELSE '' END ||
		CASE WHEN v.bits >> 49 & 1 THEN ',hot_until' ELSE '' END ||
		CASE WHEN v.bits >> 50 & 1 THEN ',slice' ELSE '' END ||
		CASE WHEN v.bits >> 51 & 1 THEN ',uclamp' ELSE '' END ||
		CASE WHEN v.bits >> 52 & 1 THEN ',idle_since' ELSE '' END, 2), '') AS unknown, -- inputs read while unknown, "sync,load"; NULL: none
	v.bits >> 31 AS unknown_bits, -- the same as bits 1 << enum rwk_input
	CASE x.bits & 7
		WHEN 0 THEN 'idle'
		WHEN 1 THEN 'busy'
		WHEN 2 THEN 'unpriced'
		WHEN 3 THEN 'unpriced'
		WHEN 4 THEN 'unpriced'
		WHEN 5 THEN 'unpriced'
	END AS price, -- of its CPU where that is not the kernel's: idle, busy, unpriced; NULL otherwise, as below
	CASE x.bits & 7 WHEN 0 THEN r.idle_wait ELSE x.wait END AS wait_dur, -- expected wait there, see view price
	CASE x.bits >> 3 & 7 WHEN 0 THEN r.idle_wait ELSE x.kernel_wait END AS kernel_wait_dur, -- expected wait on the kernel's CPU
	x.bits >> 6 & 1 AS passed_idle, -- 1: its CPU was busy although an allowed CPU of its cache domain was idle
	x.bits >> 7 & 1 AS waker_slept, -- 1: the waker went to sleep within 200 us
	r.run_id AS run_id -- run
FROM t_replay r
JOIN t_policy p ON p.id = r.policy_id
JOIN t_verdict v ON v.replay_id = r.id
LEFT JOIN t_price x ON x.replay_id = v.replay_id AND x.wakeup_id = v.wakeup_id
LEFT JOIN t_policy_reason a ON a.policy_id = r.policy_id AND a.kind = 0 AND a.code = (v.bits >> 15 & 0xff)
LEFT JOIN t_policy_reason d ON d.policy_id = r.policy_id AND d.kind = 1 AND d.code = (v.bits >> 23 & 0xff);
