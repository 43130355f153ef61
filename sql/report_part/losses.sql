-- How every report ends: what is missing or doubtful in the runs.

-- section: Lost events
SELECT
	c.run_id AS run,
	c.cpu AS cpu,
	c.nr_events AS events,
	coalesce(l.gaps, 0) AS gaps,
	CASE WHEN l.unknown THEN NULL ELSE coalesce(l.lost, 0) END AS lost_in_gaps,
	c.overrun AS overrun,
	c.dropped AS dropped,
	CASE WHEN c.observed THEN '' ELSE 'not observed: neither idle nor busy' END AS note
FROM run_cpu c
LEFT JOIN (
	SELECT run_id, cpu, COUNT(*) AS gaps, SUM(count) AS lost, SUM(count IS NULL) AS unknown
	FROM loss
	GROUP BY run_id, cpu
) l ON l.run_id = c.run_id AND l.cpu = c.cpu
WHERE l.gaps OR c.overrun > 0 OR c.dropped > 0 OR NOT c.observed
ORDER BY c.run_id, c.cpu;

-- section: Truncated files
SELECT run_id AS run, file AS file, truncated_at AS readable_up_to
FROM run
WHERE truncated
ORDER BY run_id;

-- section if any: Recorded in part only, by the recorder's filter
SELECT r.run_id AS run, rtrim(replace(s.value, char(10), '; '), '; ') AS filter
FROM run r
JOIN machine_setting s ON s.machine_id = r.machine_id AND s.name = 'rewake/filter'
ORDER BY r.run_id;

-- section if any: CPUs came or went
SELECT
	e.run_id AS run,
	COUNT(CASE WHEN e.active <> p.active THEN 1 END) AS times,
	(SELECT COUNT(*)
	FROM cpu_epoch c
	JOIN wakeup w ON w.run_id = c.run_id AND w.ts >= c.from_ts AND (c.to_ts IS NULL OR w.ts < c.to_ts)
	WHERE c.run_id = e.run_id AND c.changing AND w.kind = 'decision') AS decisions_meanwhile
FROM cpu_epoch e
JOIN cpu_epoch p ON p.run_id = e.run_id AND p.epoch = e.epoch - 1
GROUP BY e.run_id
ORDER BY e.run_id;

-- section if any: Clocks shifted
SELECT
	run_id AS run,
	cpu AS cpu,
	skew_ns AS shifted_ns,
	skew_low_ns AS at_least,
	skew_high_ns AS at_most
FROM run_cpu
WHERE skew_ns <> 0
ORDER BY run_id, cpu;

-- section: Anomalies
SELECT
	run_id AS run,
	name AS anomaly,
	count AS count,
	first_ts AS first_ts,
	first_cpu AS first_cpu,
	help AS meaning
FROM anomaly
ORDER BY run_id, count DESC, name;
