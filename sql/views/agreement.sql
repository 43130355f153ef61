CREATE VIEW agreement AS
-- How often a replay answers like the kernel did; how exact a model is, only where machine is recorded.
SELECT
	r.id AS replay, -- replay number
	p.name AS policy, -- policy
	r.params AS params, -- its parameters as given
	r.mode AS mode, -- open: state follows the recorded kernel, never the outcome; calibrated: hidden values corrected by outcomes
	r.kernel AS kernel, -- policy that the recorded kernel was taken to run: its side effects drive the state
	coalesce(m.file, 'recorded') AS machine, -- machine that it decided for: recorded, or what --machine was given
	r.decisions AS decisions, -- decisions whose outcome in the kernel is known
	r.agree AS agree, -- of them answered with the same CPU
	r.interesting AS interesting, -- decisions whose previous CPU was not idle or not what the kernel chose
	r.interesting_agree AS interesting_agree, -- of them answered with the same CPU
	r.unanswered AS unanswered, -- decisions that the policy could not answer
	r.decisions - r.agree - r.unanswered AS differ, -- decisions answered with another CPU
	r.with_unknown AS with_unknown, -- decisions whose answer read some unknown input
	r.fork_decisions AS fork_decisions, -- CPUs chosen for new tasks, not among decisions
	r.fork_agree AS fork_agree, -- of them answered with the same CPU
	r.fork_idle AS fork_idle, -- of fork_decisions, the kernel took an idle CPU
	r.fork_idle_agree AS fork_idle_agree, -- of fork_idle, the policy took an idle CPU too
	r.exec_decisions AS exec_decisions, -- CPUs chosen at exec, not among decisions
	r.exec_agree AS exec_agree, -- of them answered with the same CPU
	r.exec_idle AS exec_idle, -- of exec_decisions, the kernel took an idle CPU
	r.exec_idle_agree AS exec_idle_agree, -- of exec_idle, the policy took an idle CPU too
	r.run_id AS run_id -- run
FROM t_replay r
JOIN t_policy p ON p.id = r.policy_id
LEFT JOIN t_machine m ON m.id = r.machine_id;
