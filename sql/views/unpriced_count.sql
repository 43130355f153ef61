CREATE VIEW unpriced_count AS
-- Decisions that a replay answers with another CPU than the kernel, and for which some side has no price.
SELECT
	c.replay_id AS replay_id, -- replay
	CASE c.policy
		WHEN 2 THEN 'policy: unknown task'
		WHEN 3 THEN 'policy: events lost'
		WHEN 4 THEN 'policy: trace ended'
		WHEN 5 THEN 'policy: longer than 1 s'
		ELSE CASE c.kernel
			WHEN 2 THEN 'kernel: unknown task'
			WHEN 3 THEN 'kernel: events lost'
			WHEN 4 THEN 'kernel: trace ended'
			WHEN 5 THEN 'kernel: longer than 1 s'
			ELSE 'no wakeup of an idle CPU'
		END
	END AS why, -- whose CPU and why, as in price
	c.count AS count -- decisions
FROM t_replay_count c
JOIN t_replay r ON r.id = c.replay_id
WHERE c.what = 9 AND (c.policy > 1 OR c.kernel > 1 OR (c.policy <> c.kernel AND r.idle_wait IS NULL));
