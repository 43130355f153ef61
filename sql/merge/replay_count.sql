-- ?1 replay in the source, ?2 its number here.
INSERT INTO t_replay_count (replay_id, what, kernel, policy, count)
SELECT ?2, what, kernel, policy, count
FROM source.t_replay_count
WHERE replay_id = ?1
ORDER BY what, kernel, policy;
