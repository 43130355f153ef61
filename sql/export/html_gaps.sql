-- Gaps in the events of each CPU, by the column of the heat map in which they end.
SELECT
	l.cpu,
	(l.to_ts - r.first_ts) / :bin AS bin,
	(MIN(coalesce(l.from_ts, r.first_ts)) - r.first_ts) / :bin AS from_bin,
	COUNT(*) AS gaps,
	CASE WHEN COUNT(l.count) = COUNT(*) THEN SUM(l.count) END AS lost
FROM loss l
JOIN run r ON r.run_id = l.run_id
WHERE l.run_id = :run
GROUP BY l.cpu, bin
ORDER BY l.cpu, bin;
