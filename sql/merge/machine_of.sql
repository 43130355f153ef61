SELECT machine_id FROM source.t_run WHERE id = ?1;
