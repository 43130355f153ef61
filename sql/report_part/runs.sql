-- Which run each replay is of, where a database holds several.

-- section if any: Replays of each run
SELECT run_id AS run, group_concat(replay, ' ') AS replays
FROM (SELECT run_id, replay FROM agreement ORDER BY run_id, replay)
WHERE (SELECT COUNT(*) FROM run) > 1
GROUP BY run_id
ORDER BY run_id;
