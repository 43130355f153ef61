CREATE VIEW run_event AS
-- How many events of each kind a run's trace held.
SELECT
	run_id, -- run
	event, -- kind of event
	count -- events
FROM t_run_event;
