CREATE VIEW difference AS
-- Decisions that a replay answers with another CPU than the kernel, by where both put the wakee.  Distances are those of the machine that it decided for.
SELECT
	c.replay_id AS replay_id, -- replay
	CASE c.what
		WHEN 0 THEN 'place'
		WHEN 1 THEN 'waker_distance'
		WHEN 2 THEN 'prev_distance'
	END AS what, -- place: stays on the previous CPU or moves; distance to the waker's or the previous CPU
	CASE c.what * 8 + c.kernel
		WHEN 0 THEN 'stays'
		WHEN 1 THEN 'moves'
		WHEN 8 THEN 'same_cpu'
		WHEN 9 THEN 'smt'
		WHEN 10 THEN 'llc'
		WHEN 11 THEN 'node'
		WHEN 12 THEN 'remote'
		WHEN 16 THEN 'same_cpu'
		WHEN 17 THEN 'smt'
		WHEN 18 THEN 'llc'
		WHEN 19 THEN 'node'
		WHEN 20 THEN 'remote'
	END AS kernel, -- that of the kernel's CPU; NULL unknown
	CASE c.what * 8 + c.policy
		WHEN 0 THEN 'stays'
		WHEN 1 THEN 'moves'
		WHEN 8 THEN 'same_cpu'
		WHEN 9 THEN 'smt'
		WHEN 10 THEN 'llc'
		WHEN 11 THEN 'node'
		WHEN 12 THEN 'remote'
		WHEN 16 THEN 'same_cpu'
		WHEN 17 THEN 'smt'
		WHEN 18 THEN 'llc'
		WHEN 19 THEN 'node'
		WHEN 20 THEN 'remote'
	END AS policy, -- that of the policy's CPU; NULL unknown
	c.count AS count -- decisions
FROM t_replay_count c
WHERE c.what IN (0, 1, 2);
