-- A view's rows of run :run.
SELECT * FROM replay WHERE run_id = :run
