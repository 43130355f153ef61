DELETE FROM t_replay_price WHERE replay_id = ?1;
