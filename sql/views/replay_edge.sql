CREATE VIEW replay_edge AS
-- Decisions that a replay answers with another CPU than the kernel, by who wakes whom: the rows of price, counted when it was replayed.
SELECT
	e.replay_id AS replay_id, -- replay
	a.utid AS waker_utid, -- waker; NULL unknown
	a.comm AS waker, -- its name
	b.utid AS wakee_utid, -- wakee; NULL unknown
	b.comm AS wakee, -- its name
	e.differ AS differ, -- decisions answered with another CPU
	e.priced AS priced, -- of them with an expected wait on both CPUs
	e.sum_extra AS sum_extra, -- sum of extra_dur
	e.worse AS worse, -- decisions with extra_dur above 0
	e.better AS better, -- decisions with extra_dur below 0
	e.passed_idle AS passed_idle, -- of differ: its CPU was busy although an allowed CPU of its cache domain was idle
	e.waker_slept AS waker_slept -- of differ: the waker went to sleep within 200 us
FROM t_replay_edge e
LEFT JOIN t_task a ON a.utid = e.waker_utid
LEFT JOIN t_task b ON b.utid = e.wakee_utid;
