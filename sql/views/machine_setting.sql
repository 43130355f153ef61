CREATE VIEW machine_setting AS
-- Scheduler features, tunables and what else decides about placement.
SELECT
	machine_id, -- machine
	name, -- "feature WA_IDLE", "hz", or the path of a file
	value -- on, off, a number, or the file's text
FROM t_machine_setting;
