-- Replays beside each other; the price counts decisions answered with another CPU than the kernel's.
WITH ranked AS (
	SELECT
		replay_id, extra_dur, passed_idle, waker_slept,
		ROW_NUMBER() OVER (PARTITION BY replay_id ORDER BY extra_dur IS NULL, extra_dur) AS n,
		COUNT(extra_dur) OVER (PARTITION BY replay_id) AS of
	FROM price
	WHERE run_id = :run
),
priced AS (
	SELECT
		replay_id,
		COUNT(*) AS asked,
		COUNT(extra_dur) AS priced,
		MIN(CASE WHEN n = (of + 1) / 2 THEN extra_dur END) AS median,
		AVG(extra_dur) AS mean,
		COUNT(CASE WHEN extra_dur > 0 THEN 1 END) AS worse,
		COUNT(CASE WHEN extra_dur < 0 THEN 1 END) AS better,
		SUM(passed_idle) AS passed_idle,
		COUNT(passed_idle) AS passed_idle_known
	FROM ranked
	GROUP BY replay_id
)
SELECT
	a.replay, a.policy, a.params, a.mode, a.kernel, a.machine, p.summary, p.origin,
	a.decisions, a.agree, a.interesting, a.interesting_agree, a.unanswered, a.differ, a.with_unknown,
	a.fork_decisions, a.fork_agree, a.exec_decisions, a.exec_agree,
	r.summary_only, r.violations, r.idle_wait,
	x.asked, x.priced, x.median, CAST(round(x.mean) AS INTEGER) AS mean, x.worse, x.better, x.passed_idle, x.passed_idle_known
FROM agreement a
JOIN replay r ON r.replay_id = a.replay
JOIN policy p ON p.policy_id = r.policy_id
LEFT JOIN priced x ON x.replay_id = a.replay
WHERE a.run_id = :run
ORDER BY a.replay;
