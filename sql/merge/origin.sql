-- First time of run ?1.
SELECT first_ts FROM source.t_run WHERE id = ?1;
