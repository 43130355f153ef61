SELECT path, content FROM t_machine_file WHERE machine_id = ?1 ORDER BY path;
