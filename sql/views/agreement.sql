CREATE VIEW agreement AS
-- How often a replay answers like the kernel did.
SELECT
	r.id AS replay, -- replay number
	p.name AS policy, -- policy
	r.params AS params, -- its parameters as given
	r.mode AS mode, -- open: state follows the recorded kernel, never the outcome; calibrated: hidden values corrected by outcomes
	r.kernel AS kernel, -- policy that the recorded kernel was taken to run: its side effects drive the state
	r.decisions AS decisions, -- decisions whose outcome in the kernel is known
	r.agree AS agree, -- of them answered with the same CPU
	r.interesting AS interesting, -- decisions whose previous CPU was not idle or not what the kernel chose
	r.interesting_agree AS interesting_agree, -- of them answered with the same CPU
	r.unanswered AS unanswered, -- decisions that the policy could not answer
	r.decisions - r.agree - r.unanswered AS differ, -- decisions answered with another CPU
	r.with_unknown AS with_unknown, -- decisions whose answer read some unknown input
	r.run_id AS run_id -- run
FROM t_replay r
JOIN t_policy p ON p.id = r.policy_id;
