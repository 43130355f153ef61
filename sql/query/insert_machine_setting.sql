INSERT INTO t_machine_setting (machine_id, name, value)
VALUES (?, ?, ?);
