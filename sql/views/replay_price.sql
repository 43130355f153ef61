CREATE VIEW replay_price AS
-- What the rows of price of a replay come to: counted when it was replayed.
SELECT
	replay_id AS replay_id, -- replay; none for one that kept no prices
	differ AS differ, -- decisions that it answers with another CPU than the kernel
	priced AS priced, -- of them with an expected wait on both CPUs
	median_extra AS median_extra, -- median of extra_dur; of an even number the lower middle
	sum_extra AS sum_extra, -- sum of extra_dur
	worse AS worse, -- decisions with extra_dur above 0
	better AS better, -- decisions with extra_dur below 0
	passed_idle AS passed_idle, -- of differ: its CPU was busy although an allowed CPU of its cache domain was idle
	waker_slept AS waker_slept -- of differ: the waker went to sleep within 200 us
FROM t_replay_price;
