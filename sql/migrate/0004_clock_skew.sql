-- Clocks of CPUs that were shifted at import, because effects came before their causes or because
-- the user knew by how much they were apart.  Runs imported before were left as recorded.
ALTER TABLE t_run_cpu ADD COLUMN
	skew_ns -- was added to the times of this CPU, everywhere in the run
	INTEGER NOT NULL DEFAULT 0;
ALTER TABLE t_run_cpu ADD COLUMN
	skew_low_ns -- least that it could be; NULL: not estimated
	INTEGER;
ALTER TABLE t_run_cpu ADD COLUMN
	skew_high_ns -- most that it could be; NULL: not estimated
	INTEGER;
