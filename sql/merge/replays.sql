-- Replays of run ?1, their policies and the machines they decided for.
SELECT id, policy_id, machine_id FROM source.t_replay WHERE run_id = ?1 ORDER BY id;
