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
	last_ts, -- last event
	skew_ns, -- added to all times of this CPU at import, for its clock was apart; 0: none
	skew_low_ns, -- least that skew_ns could be; NULL: not estimated
	skew_high_ns -- most that it could be; NULL: not estimated
FROM t_run_cpu;
