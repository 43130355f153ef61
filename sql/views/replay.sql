CREATE VIEW replay AS
-- One row per pass of a policy over the wakeups of a run.
SELECT
	r.id AS replay_id, -- replay number
	r.run_id AS run_id, -- run
	r.policy_id AS policy_id, -- policy
	p.name AS policy, -- its name
	r.params AS params, -- its parameters as given
	r.mode AS mode, -- open: state follows the recorded kernel, never the outcome; calibrated: hidden values corrected by outcomes
	r.summary_only AS summary_only, -- 1: counts only, no verdict rows
	r.kernel AS kernel, -- policy that the recorded kernel was taken to run: its side effects drive the state
	coalesce(m.file, 'recorded') AS machine, -- machine that it decided for: recorded, or what --machine was given
	coalesce(r.machine_id, n.machine_id) AS machine_id, -- its number
	r.tool_version AS tool_version, -- rewake that replayed
	r.verdicts AS verdicts, -- answers, to wakeups of every kind
	r.idle_wait AS idle_wait, -- what an idle CPU costs: median time to first run where the kernel chose an idle CPU other than the waker's; within 0.1 %; NULL: no such decision
	r.idle_waits AS idle_waits, -- decisions that this median is of
	r.violations AS violations -- of them not an allowed CPU: a fault of the policy, counted and kept as it is
FROM t_replay r
JOIN t_policy p ON p.id = r.policy_id
JOIN t_run n ON n.id = r.run_id
LEFT JOIN t_machine m ON m.id = r.machine_id;
