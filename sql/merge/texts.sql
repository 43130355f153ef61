-- Every text that may name a thread.
SELECT path, content FROM source.t_machine_file
UNION ALL SELECT name, value FROM source.t_machine_setting WHERE name LIKE '%/%';
