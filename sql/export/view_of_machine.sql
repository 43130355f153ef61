-- A view's rows of the machine of run :run, and of those that its replays decided for.
SELECT * FROM replay WHERE machine_id IN (
	SELECT machine_id FROM run WHERE run_id = :run
	UNION
	SELECT machine_id FROM replay WHERE run_id = :run
)
