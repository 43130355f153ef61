SELECT id FROM source.t_run ORDER BY id;
