-- What is not known: where the facts of wakeups, tasks and verdicts come from, and what is missing.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all

-- section: Wakeups by where each fact was read
WITH fact AS (
	SELECT run_id, 1 AS pos, 'kind' AS fact, kind_source AS source, count FROM wakeup_count
	UNION ALL
	SELECT run_id, 2, 'sync', sync_source, count FROM wakeup_count
	UNION ALL
	SELECT run_id, 3, 'target CPU', target_source, count FROM wakeup_count
	UNION ALL
	SELECT run_id, 4, 'time to run', coalesce('unknown: ' || censor, 'seen'), count FROM wakeup_count
	UNION ALL
	SELECT run_id, 5, 'waker', CASE WHEN waker_utid IS NULL THEN 'unknown' ELSE 'seen' END, count FROM edge
	UNION ALL
	SELECT run_id, 6, 'distance', 'unknown', distance_unknown FROM edge
	UNION ALL
	SELECT run_id, 6, 'distance', 'seen', decisions - distance_unknown FROM edge
)
SELECT
	f.run_id AS run,
	f.fact AS fact,
	f.source AS source,
	SUM(f.count) AS wakeups,
	round(100.0 * SUM(f.count) / t.all_of, 1) AS percent
FROM fact f
JOIN (SELECT run_id, fact, SUM(count) AS all_of FROM fact GROUP BY run_id, fact) t ON t.run_id = f.run_id AND t.fact = f.fact
WHERE f.run_id = coalesce(:run, f.run_id)
GROUP BY f.run_id, f.pos, f.source
HAVING SUM(f.count) > 0
ORDER BY f.run_id, f.pos, wakeups DESC, f.source;

-- section: Tasks and CPUs of which something is unknown
SELECT u.run_id AS run, u.what AS what, SUM(u.unknown) AS unknown, COUNT(*) AS of
FROM (
	SELECT run_id, 1 AS pos, 'tasks without a name' AS what, name IS NULL AS unknown FROM task WHERE idle_cpu IS NULL
	UNION ALL
	SELECT run_id, 2, 'tasks without an affinity', allowed IS NULL FROM task WHERE idle_cpu IS NULL
	UNION ALL
	SELECT run_id, 3, 'tasks without a scheduling policy', sched_policy IS NULL FROM task WHERE idle_cpu IS NULL
	UNION ALL
	SELECT run_id, 4, 'tasks without a control group', cgroup IS NULL FROM task WHERE idle_cpu IS NULL
	UNION ALL
	SELECT run_id, 5, 'CPUs not observed', NOT observed FROM run_cpu
	UNION ALL
	SELECT r.run_id, 6, 'CPUs whose neighbours are unknown', m.core IS NULL OR m.llc IS NULL OR m.node IS NULL
	FROM run_cpu c
	JOIN run r ON r.run_id = c.run_id
	LEFT JOIN machine_cpu m ON m.machine_id = r.machine_id AND m.cpu = c.cpu
) u
WHERE u.run_id = coalesce(:run, u.run_id)
GROUP BY u.run_id, u.pos
ORDER BY u.run_id, u.pos;

-- section: Decisions of replays by how hidden values were known
SELECT
	a.replay AS replay,
	a.policy AS policy,
	c.what AS value,
	c.class AS known,
	c.decisions AS decisions,
	round(100.0 * c.decisions / NULLIF(a.decisions, 0), 1) AS percent
FROM agreement a
JOIN agreement_by c ON c.replay_id = a.replay AND c.what <> 'history'
WHERE a.run_id = coalesce(:run, a.run_id)
ORDER BY a.replay, c.what <> 'worst', c.what, c.pos DESC;

-- section: Inputs that were read although nobody knows them
SELECT
	a.replay AS replay,
	a.policy AS policy,
	u.input AS input,
	u.count AS decisions,
	round(100.0 * u.count / NULLIF(a.decisions, 0), 1) AS percent
FROM agreement a
JOIN unknown_input u ON u.replay_id = a.replay
WHERE a.run_id = coalesce(:run, a.run_id)
ORDER BY a.replay, u.count DESC, u.input;

-- include: losses
