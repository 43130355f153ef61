-- Decisions of each replay by the step that answered.
SELECT c.replay_id AS replay, c.reason, c.decisions, c.agree, c.interesting, c.interesting_agree
FROM reason_count c
JOIN replay r ON r.replay_id = c.replay_id
WHERE r.run_id = :run
ORDER BY c.replay_id, c.decisions DESC, c.reason;
