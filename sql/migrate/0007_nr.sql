-- What the kernel itself counted on its run queues (record --events nr-running).
CREATE TABLE t_nr (
-- A change of the number of tasks on a run queue.
	seq INTEGER PRIMARY KEY, -- number of the event
	ts INTEGER NOT NULL, -- time, ns
	cpus INTEGER NOT NULL, -- CPUs, each + 1, 0 none: who counted 0, whose queue 11
	nr INTEGER NOT NULL, -- nr_running after the change
	change INTEGER NOT NULL -- by which it changed
);
