-- Some traces tell which process a thread is of.  Runs imported before have none of it.
ALTER TABLE t_task ADD COLUMN
	tgid -- id of its process, as the trace tells; NULL unknown
	INTEGER;
