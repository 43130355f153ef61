CREATE VIEW run_cpu AS
-- What was recorded on each CPU of a run.
SELECT
	run_id, -- run
	cpu, -- CPU
	observed, -- 0: not a single event, so neither idle nor busy
	nr_events, -- events read
	entries, -- events by the recorder's own count
	overrun, -- overwritten before they were read
	dropped, -- not written for want of room
	first_ts, -- first event
	last_ts -- last event
FROM t_run_cpu;
