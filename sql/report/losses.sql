-- What was lost, truncated, impossible or guessed, and when.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all
-- param: top integer = 20 in 1..1000000  rows of each list

-- section: What the runs hold
SELECT
	r.run_id AS run,
	r.nr_events AS events,
	r.nr_lost AS lost,
	r.nr_gaps AS gaps,
	round(r.dur / 1000000.0, 3) AS span_ms,
	CASE WHEN r.trusted_to >= r.trusted_from
		THEN round((r.trusted_from - r.first_ts) / 1000000.0, 3) END AS trusted_from_ms,
	CASE WHEN r.trusted_to >= r.trusted_from
		THEN round((r.trusted_to - r.first_ts) / 1000000.0, 3) END AS trusted_to_ms
FROM run r
WHERE r.run_id = coalesce(:run, r.run_id)
ORDER BY r.run_id;

-- section: Gaps, the longest first; times from the beginning of the run
SELECT
	l.run_id AS run,
	l.cpu AS cpu,
	round((l.from_ts - r.first_ts) / 1000000.0, 3) AS from_ms,
	round((l.to_ts - r.first_ts) / 1000000.0, 3) AS to_ms,
	round((l.to_ts - coalesce(l.from_ts, r.first_ts)) / 1000000.0, 3) AS gap_ms,
	l.count AS lost
FROM loss l
JOIN run r ON r.run_id = l.run_id
WHERE l.run_id = coalesce(:run, l.run_id)
ORDER BY l.to_ts - coalesce(l.from_ts, r.first_ts) DESC, l.run_id, l.seq
LIMIT coalesce(:top, 20);

-- section: Anomalies, where they were met first
SELECT
	a.run_id AS run,
	a.name AS anomaly,
	a.count AS count,
	round((a.first_ts - r.first_ts) / 1000000.0, 3) AS first_ms,
	a.first_cpu AS cpu,
	a.first_offset AS offset
FROM anomaly a
JOIN run r ON r.run_id = a.run_id
WHERE a.run_id = coalesce(:run, a.run_id)
ORDER BY a.run_id, a.first_ts, a.name;

-- section: Wakeups whose time to run is missing
SELECT run_id AS run, censor AS why, SUM(count) AS wakeups
FROM wakeup_count
WHERE censor IS NOT NULL AND run_id = coalesce(:run, run_id)
GROUP BY run_id, censor
ORDER BY run_id, wakeups DESC, censor;

-- include: losses
