DELETE FROM t_verdict WHERE replay_id = ?1;
