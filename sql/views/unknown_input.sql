CREATE VIEW unknown_input AS
-- Decisions that a replay answered after reading an input that nobody knew, by input.
SELECT
	c.replay_id AS replay_id, -- replay
	CASE c.policy
		WHEN 0 THEN 'topology'
		WHEN 1 THEN 'cpu_state'
		WHEN 2 THEN 'sync'
		WHEN 3 THEN 'affinity'
		WHEN 4 THEN 'flips'
		WHEN 5 THEN 'last_wakee'
		WHEN 6 THEN 'recent_cpu'
		WHEN 7 THEN 'idle_cores'
		WHEN 8 THEN 'nr_idle_scan'
		WHEN 9 THEN 'load'
		WHEN 10 THEN 'avg_run'
		WHEN 11 THEN 'avg_idle'
		WHEN 12 THEN 'recorded'
		WHEN 13 THEN 'delayed'
		WHEN 14 THEN 'queue'
		WHEN 15 THEN 'avg_overlap'
		WHEN 16 THEN 'run_total'
		WHEN 17 THEN 'sync_share'
		WHEN 18 THEN 'hot_until'
		WHEN 19 THEN 'slice'
		WHEN 20 THEN 'uclamp'
		WHEN 21 THEN 'idle_since'
	END AS input, -- the input
	c.count AS count -- decisions
FROM t_replay_count c
WHERE c.what = 3;
