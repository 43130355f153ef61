-- What a recorder fetched of every CPU at a decision (record --probe=state).  Runs imported before
-- have none of it, even where their recordings do.
CREATE TABLE t_probe_cpu (
-- A CPU at the entry of a probed call.
	seq INTEGER NOT NULL, -- number of the entry event
	cpu INTEGER NOT NULL, -- CPU
	nr_running INTEGER NOT NULL, -- tasks on its run queue
	pending INTEGER, -- its ttwu_pending; NULL: the kernel has none
	curr_tid INTEGER NOT NULL, -- thread id of its current task; 0: the idle task
	load INTEGER, -- load_avg of its fair class; NULL: not recorded
	PRIMARY KEY (seq, cpu)
) WITHOUT ROWID;
