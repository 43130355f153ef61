CREATE VIEW wakeup_count AS
-- Wakeups by what is known of them: the same counts as from wakeup, without reading its rows.
SELECT
	run_id AS run_id, -- run
	CASE bits & 0xf
		WHEN 0 THEN 'decision'
		WHEN 1 THEN 'no_choice'
		WHEN 2 THEN 'queued'
		WHEN 3 THEN 'on_cpu'
		WHEN 4 THEN 'self'
		WHEN 5 THEN 'other_class'
		WHEN 6 THEN 'new'
		WHEN 7 THEN 'spurious'
		WHEN 8 THEN 'unknown'
	END AS kind, -- as in wakeup
	CASE bits >> 4 & 7
		WHEN 0 THEN 'unknown'
		WHEN 1 THEN 'inferred'
		WHEN 2 THEN 'rebuilt'
		WHEN 3 THEN 'calibrated'
		WHEN 4 THEN 'probed'
	END AS kind_source, -- as in wakeup
	CASE bits >> 7 & 7
		WHEN 0 THEN 'unknown'
		WHEN 1 THEN 'inferred'
		WHEN 2 THEN 'rebuilt'
		WHEN 3 THEN 'calibrated'
		WHEN 4 THEN 'probed'
	END AS sync_source, -- as in wakeup
	CASE bits >> 10 & 7
		WHEN 0 THEN 'unknown'
		WHEN 1 THEN 'probe'
		WHEN 2 THEN 'migrate'
		WHEN 3 THEN 'wakeup'
		WHEN 4 THEN 'run'
	END AS target_source, -- as in wakeup
	CASE bits >> 13 & 7
		WHEN 1 THEN 'end'
		WHEN 2 THEN 'loss'
		WHEN 3 THEN 'gone'
		WHEN 4 THEN 'running'
	END AS censor, -- as in wakeup
	count AS count -- wakeups
FROM t_wakeup_count;
