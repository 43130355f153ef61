INSERT INTO t_machine_file (machine_id, path, content)
VALUES (?, ?, ?);
