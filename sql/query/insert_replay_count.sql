INSERT INTO t_replay_count (replay_id, what, kernel, policy, count)
VALUES (?, ?, ?, ?, ?);
