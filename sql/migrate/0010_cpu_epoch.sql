-- Which CPUs were there when, in runs while which some came or went.  Runs imported before have
-- none of it, even where their sidecars do.
CREATE TABLE t_cpu_epoch (
-- A time between two changes.
	run_id INTEGER NOT NULL, -- run
	epoch INTEGER NOT NULL, -- number in order of time, from 0
	from_ts INTEGER, -- when it begins; NULL: with the run
	changing INTEGER NOT NULL, -- 1: a change was on its way, exactly when it took effect is not known
	rebuilt INTEGER NOT NULL, -- 1: it begins with other scheduling domains, or none, than the one before
	online TEXT NOT NULL, -- CPUs that are hardware threads of their cores, as a list
	active TEXT NOT NULL, -- of them those that tasks may be put on
	domains TEXT NOT NULL, -- CPUs that scheduling domains were built of; '': the domains were taken down
	PRIMARY KEY (run_id, epoch)
) WITHOUT ROWID;
