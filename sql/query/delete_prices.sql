DELETE FROM t_price WHERE replay_id = ?1;
