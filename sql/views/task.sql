CREATE VIEW task AS
-- One row per thread; a thread id that comes back is another row.
SELECT
	(utid >> 40) + 1 AS run_id, -- run
	utid AS utid, -- identity within the file
	tid AS tid, -- kernel's thread id, 0 for idle tasks
	generation AS generation, -- 0 for the first task with that tid
	comm AS name, -- latest name, any bytes; NULL unknown
	idle_cpu AS idle_cpu, -- CPU of an idle task
	first_ts AS first_ts, -- first event that names it
	last_ts AS last_ts, -- last event that names it
	prio AS prio, -- latest priority: 100 to 139 fair, below real-time, -1 deadline; NULL unknown
	pcpu_kthread AS pcpu_kthread, -- 1: kernel thread bound to one CPU
	allowed AS allowed, -- affinity as a CPU list; NULL unknown
	seen AS seen, -- CPUs on which it was seen
	CASE policy
		WHEN 0 THEN 'other'
		WHEN 1 THEN 'fifo'
		WHEN 2 THEN 'rr'
		WHEN 3 THEN 'batch'
		WHEN 5 THEN 'idle'
		WHEN 6 THEN 'deadline'
		WHEN 7 THEN 'ext'
	END AS sched_policy, -- scheduling policy; NULL unknown
	cgroup AS cgroup, -- control group; NULL unknown
	tgid AS tgid -- id of its process, as the trace tells; NULL: it does not, or not of which task with that tid
FROM t_task;
