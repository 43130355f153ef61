CREATE VIEW agreement_by AS
-- Agreement of a replay by what was known of a decision: the source of each hidden value, and the wakee's history.
SELECT
	c.replay_id AS replay_id, -- replay
	CASE WHEN c.what = 6 THEN 'history' ELSE
		CASE c.policy >> 3
			WHEN 0 THEN 'worst'
			WHEN 1 THEN 'flips'
			WHEN 2 THEN 'recent_cpu'
			WHEN 3 THEN 'sync'
			WHEN 4 THEN 'nr_idle_scan'
		END
	END AS what, -- flips (of waker and wakee), recent_cpu, sync, nr_idle_scan; worst of these; history: the wakee's n-th decision
	CASE c.what * 8 + (c.policy & 7)
		WHEN 40 THEN 'unknown'
		WHEN 41 THEN 'inferred'
		WHEN 42 THEN 'rebuilt'
		WHEN 43 THEN 'calibrated'
		WHEN 44 THEN 'probed'
		WHEN 48 THEN '1'
		WHEN 49 THEN '2-5'
		WHEN 50 THEN '6-20'
		WHEN 51 THEN '>20'
	END AS class, -- how that was known: unknown, inferred, rebuilt, calibrated, probed; of a history 1, 2-5, 6-20, >20
	c.policy AS pos, -- order of the classes
	SUM(c.count) AS decisions, -- decisions whose outcome in the kernel is known
	SUM(CASE WHEN c.kernel & 1 THEN c.count ELSE 0 END) AS agree, -- of them answered like the kernel did
	SUM(CASE WHEN c.kernel & 2 THEN c.count ELSE 0 END) AS interesting, -- decisions whose previous CPU was not idle or not what the kernel chose
	SUM(CASE WHEN c.kernel = 3 THEN c.count ELSE 0 END) AS interesting_agree -- of them answered like the kernel did
FROM t_replay_count c
WHERE c.what IN (5, 6)
GROUP BY c.replay_id, c.what, c.policy;
