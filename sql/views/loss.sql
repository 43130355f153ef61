CREATE VIEW loss AS
-- One row per gap in the events of a CPU.
SELECT
	(id >> 40) + 1 AS run_id, -- run
	seq & 0xffffffffff AS seq, -- number of the event that told of it
	cpu AS cpu, -- CPU
	from_ts AS from_ts, -- last event before; NULL: before the CPU's first event
	to_ts AS to_ts, -- first event after
	count AS count -- events lost; NULL unknown
FROM t_loss;
