-- Event formats that a recording has lost with its end can come from another one.
ALTER TABLE t_run ADD COLUMN
	formats_from -- where event formats came from that the trace file lacks; NULL: it has its own
	TEXT;
