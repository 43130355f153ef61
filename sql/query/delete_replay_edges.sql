DELETE FROM t_replay_edge WHERE replay_id = ?1;
