CREATE VIEW probe_cpu AS
-- A CPU at the entry of a probed call, of recordings with --probe=state.
SELECT
	(seq >> 40) + 1 AS run_id, -- run
	seq & 0xffffffffff AS seq, -- number of the entry event, as in probe
	cpu AS cpu, -- CPU
	nr_running AS nr_running, -- tasks on its run queue, the running one included
	pending AS pending, -- not 0: a remote wakeup is on its way to it; NULL: the kernel does not tell
	curr_tid AS curr_tid, -- thread id of its current task; 0: the idle task
	load AS load, -- load_avg of its fair class
	nr_running = 0 AND curr_tid = 0 AND coalesce(pending, 0) = 0 AS idle -- 1: the kernel takes it for idle
FROM t_probe_cpu;
