-- Inputs that policies read although nobody knows them.
SELECT u.replay_id AS replay, u.input, u.count
FROM unknown_input u
JOIN replay r ON r.replay_id = u.replay_id
WHERE r.run_id = :run
ORDER BY u.replay_id, u.count DESC, u.input;
