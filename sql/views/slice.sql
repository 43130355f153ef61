CREATE VIEW slice AS
-- One row per stay of a task on a CPU, idle tasks included.
SELECT
	id AS id, -- slice, in order of start
	(id >> 40) + 1 AS run_id, -- run
	seq & 0xffffffffff AS seq, -- number of the event that started it
	ts AS ts, -- start
	dur AS dur, -- duration; NULL: still running at the end
	(bits & 0x7ff) - 1 AS cpu, -- CPU
	utid AS utid, -- task
	CASE bits >> 11 & 0xff WHEN 0 THEN NULL WHEN 255 THEN -1 ELSE (bits >> 11 & 0xff) - 1 END AS prio, -- priority when it was switched in: 100 to 139 fair, below real-time, -1 deadline; NULL unknown
	CASE bits >> 19 & 0xf
		WHEN 1 THEN 'R'
		WHEN 2 THEN 'R+'
		WHEN 3 THEN 'S'
		WHEN 4 THEN 'D'
		WHEN 5 THEN 'T'
		WHEN 6 THEN 't'
		WHEN 7 THEN 'X'
		WHEN 8 THEN 'Z'
		WHEN 9 THEN 'P'
		WHEN 10 THEN 'I'
	END AS end_state, -- how it left: R yielded, or preempted on the way to user space, R+ preempted in the kernel, S, D, T, t, X, Z, P, I; NULL unknown
	CASE WHEN bits >> 19 & 0xf THEN raw END AS end_state_raw, -- the same as a number of the trace
	bits >> 23 & 1 AS begin_unknown, -- 1: it was there before it was first seen at ts
	bits >> 24 & 1 AS cut -- 1: its end was forced: seen elsewhere, or events lost
FROM t_slice;
