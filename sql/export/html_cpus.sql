-- CPUs of the run beside each other as caches and nodes have them, with what was lost.
SELECT
	c.cpu,
	c.observed,
	c.nr_events,
	c.overrun,
	c.dropped,
	c.first_ts - r.first_ts AS first_ts,
	c.last_ts - r.first_ts AS last_ts,
	m.node,
	m.llc,
	m.core,
	coalesce(l.gaps, 0) AS gaps,
	CASE WHEN l.unknown THEN NULL ELSE coalesce(l.lost, 0) END AS lost
FROM run_cpu c
JOIN run r ON r.run_id = c.run_id
LEFT JOIN machine_cpu m ON m.machine_id = r.machine_id AND m.cpu = c.cpu
LEFT JOIN (
	SELECT cpu, COUNT(*) AS gaps, SUM(count) AS lost, SUM(count IS NULL) AS unknown
	FROM loss
	WHERE run_id = :run
	GROUP BY cpu
) l ON l.cpu = c.cpu
WHERE c.run_id = :run
ORDER BY m.node, m.llc, m.core, c.cpu;
