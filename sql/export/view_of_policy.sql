-- A view's rows of policies that answered in replays of run :run.
SELECT * FROM replay WHERE policy_id IN (SELECT policy_id FROM replay WHERE run_id = :run)
