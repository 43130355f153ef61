DELETE FROM t_replay WHERE id = ?1;
