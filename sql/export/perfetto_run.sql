-- The kernel of run :run.
SELECT release FROM run WHERE run_id = :run
