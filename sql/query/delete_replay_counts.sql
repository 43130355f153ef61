DELETE FROM t_replay_count WHERE replay_id = ?1;
