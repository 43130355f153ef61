-- A view's rows of replays of run :run.
SELECT * FROM replay WHERE replay_id IN (SELECT replay_id FROM replay WHERE run_id = :run)
