SELECT coalesce(MAX(id), 0) + 1 FROM t_machine;
