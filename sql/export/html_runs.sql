-- The runs that the page shows: run :run, or all of them for 0.
SELECT run_id FROM run WHERE run_id = :run OR :run = 0 ORDER BY run_id
