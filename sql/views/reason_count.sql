CREATE VIEW reason_count AS
-- Decisions of a replay by the reason its policy gave.
SELECT
	c.replay_id AS replay_id, -- replay
	n.name AS reason, -- the step that answered
	SUM(c.count) AS decisions, -- decisions
	SUM(CASE WHEN c.kernel & 1 THEN c.count ELSE 0 END) AS agree, -- of them answered like the kernel did
	SUM(CASE WHEN c.kernel & 2 THEN c.count ELSE 0 END) AS interesting, -- decisions whose previous CPU was not idle or not what the kernel chose
	SUM(CASE WHEN c.kernel = 3 THEN c.count ELSE 0 END) AS interesting_agree -- of them answered like the kernel did
FROM t_replay_count c
JOIN t_replay r ON r.id = c.replay_id
LEFT JOIN t_policy_reason n ON n.policy_id = r.policy_id AND n.kind = 0 AND n.code = c.policy
WHERE c.what = 4
GROUP BY c.replay_id, c.policy;
