CREATE VIEW anomaly AS
-- What was impossible, dropped, clamped or guessed in a run.
SELECT
	run_id, -- run
	name, -- kind of anomaly
	count, -- how often
	first_ts, -- first occurrence: time
	first_cpu, -- CPU
	first_offset, -- offset in the file, line of a text
	help -- what it means
FROM t_anomaly;
