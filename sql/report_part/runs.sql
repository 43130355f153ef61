-- Which run each replay is of, where a database holds several.

-- section if any: Replays of each run
SELECT
	a.run_id AS run,
	r.file AS file,
	group_concat(a.replay, ' ') AS replays
FROM (SELECT run_id, replay FROM agreement ORDER BY run_id, replay) a
JOIN run r ON r.run_id = a.run_id
WHERE (SELECT COUNT(*) FROM run) > 1
GROUP BY a.run_id
ORDER BY a.run_id;
