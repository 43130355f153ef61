CREATE VIEW nr_running AS
-- Tasks on a run queue each time their number changed, as the kernel itself counted (record --events nr-running).
SELECT
	(seq >> 40) + 1 AS run_id, -- run
	seq & 0xffffffffff AS seq, -- number of the event
	ts AS ts, -- time, ns
	(cpus >> 11 & 2047) - 1 AS cpu, -- CPU whose queue it is
	nr AS nr_running, -- tasks on it from then on: the running one, and those that sleep but are not yet dequeued
	change AS change, -- by which it changed
	(cpus & 2047) - 1 AS by_cpu -- CPU that did it: a waker's, or a balancing one's
FROM t_nr;
