-- Where each replay and the kernel put the wakee when they differ.
SELECT d.replay_id AS replay, d.what, d.kernel, d.policy, d.count
FROM difference d
JOIN replay r ON r.replay_id = d.replay_id
WHERE r.run_id = :run
ORDER BY d.replay_id, d.what, d.kernel, d.policy;
