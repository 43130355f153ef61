CREATE VIEW miss AS
-- Misses of the policy that models the recorded kernel, by the one hidden value that would explain them; open mode only.
SELECT
	c.replay_id AS replay_id, -- replay
	CASE c.policy
		WHEN 0 THEN 'none'
		WHEN 1 THEN 'recent_cpu'
		WHEN 2 THEN 'nr_idle_scan'
		WHEN 3 THEN 'flips'
		WHEN 4 THEN 'idle_cores'
		WHEN 5 THEN 'sync'
	END AS explained_by, -- with another value of it the answer is the kernel's; none: a race, loads, or several at once
	c.count AS count -- decisions
FROM t_replay_count c
WHERE c.what = 7;
