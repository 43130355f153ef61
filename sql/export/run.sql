-- The run with number :run; the first for 0.
SELECT run_id FROM run WHERE run_id = :run OR :run = 0 ORDER BY run_id LIMIT 1
