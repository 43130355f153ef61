-- Tasks of run :run.
SELECT utid, tid, generation, name FROM task WHERE run_id = :run ORDER BY utid
