-- Which runs are which side's, of the databases a and b.
CREATE TEMP TABLE side (side TEXT NOT NULL, run_id INTEGER NOT NULL, PRIMARY KEY (side, run_id)) WITHOUT ROWID;
