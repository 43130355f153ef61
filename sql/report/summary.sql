-- What was recorded, and which wakeups each replayed policy would have placed elsewhere.

-- section: Run
SELECT i.item AS item,
	CASE i.item
		WHEN 'run' THEN r.run_id
		WHEN 'file' THEN r.file
		WHEN 'format' THEN r.format
		WHEN 'kernel' THEN r.release
		WHEN 'machine' THEN
			m.nr_cpu_ids || ' CPUs' || CASE
				WHEN m.topology_known THEN ', ' || m.nr_llc || ' last-level caches, '
					|| m.nr_nodes || ' nodes, SMT ' || CASE m.smt_active WHEN 1 THEN 'on' ELSE 'off' END
				ELSE ', topology unknown' END
			|| coalesce((SELECT '; CPUs came or went ' || COUNT(*) || ' times'
				FROM cpu_epoch e
				JOIN cpu_epoch p ON p.run_id = e.run_id AND p.epoch = e.epoch - 1 AND p.active <> e.active
				WHERE e.run_id = r.run_id HAVING COUNT(*) > 0), '')
		WHEN 'machine from' THEN coalesce(m.file, 'the trace alone')
		WHEN 'clock' THEN r.clock
		WHEN 'span' THEN CASE WHEN r.dur IS NOT NULL THEN printf('%d.%09d s from %d.%09d',
			r.dur / 1000000000, r.dur % 1000000000, r.first_ts / 1000000000, r.first_ts % 1000000000) END
		WHEN 'all CPUs observed' THEN CASE
			WHEN r.trusted_from IS NULL OR r.trusted_to < r.trusted_from THEN 'never'
			WHEN r.trusted_from = r.first_ts AND r.trusted_to = r.last_ts THEN 'all the time'
			ELSE printf('for %d.%09d s from %d.%09d',
				(r.trusted_to - r.trusted_from) / 1000000000, (r.trusted_to - r.trusted_from) % 1000000000,
				r.trusted_from / 1000000000, r.trusted_from % 1000000000) END
			|| coalesce((SELECT ', but ' || COUNT(*) || ' of them never' FROM run_cpu c
				WHERE c.run_id = r.run_id AND NOT c.observed HAVING COUNT(*) > 0), '')
		WHEN 'events' THEN r.nr_events
		WHEN 'lost events' THEN CASE
			WHEN r.nr_lost IS NULL THEN 'unknown, in ' || r.nr_gaps || ' gaps'
			WHEN r.nr_gaps THEN r.nr_lost || ' in ' || r.nr_gaps || ' gaps'
			ELSE r.nr_lost END
		WHEN 'tasks' THEN (SELECT COUNT(*) FROM task t WHERE t.run_id = r.run_id AND t.idle_cpu IS NULL)
		WHEN 'recorded decisions used' THEN CASE
			WHEN EXISTS (SELECT 1 FROM run_event e
				WHERE e.run_id = r.run_id AND e.event = 'rewake:sel' AND e.count) THEN r.probe_mode
			ELSE 'none in the trace' END
	END AS value
FROM run r
JOIN machine m ON m.machine_id = r.machine_id
JOIN (
	SELECT 1 AS pos, 'run' AS item UNION ALL SELECT 2, 'file' UNION ALL SELECT 3, 'format'
	UNION ALL SELECT 4, 'kernel' UNION ALL SELECT 5, 'machine' UNION ALL SELECT 6, 'machine from'
	UNION ALL SELECT 7, 'clock' UNION ALL SELECT 8, 'span' UNION ALL SELECT 9, 'all CPUs observed'
	UNION ALL SELECT 10, 'events' UNION ALL SELECT 11, 'lost events' UNION ALL SELECT 12, 'tasks'
	UNION ALL SELECT 13, 'recorded decisions used'
) i
ORDER BY r.run_id, i.pos;

-- section: Wakeups by kind
SELECT
	c.run_id AS run,
	c.kind AS kind,
	SUM(c.count) AS wakeups,
	round(100.0 * SUM(c.count) / t.wakeups, 1) AS percent,
	SUM(CASE c.kind_source WHEN 'probed' THEN c.count ELSE 0 END) AS kind_probed,
	SUM(CASE c.sync_source WHEN 'unknown' THEN c.count ELSE 0 END) AS sync_unknown,
	SUM(CASE c.target_source WHEN 'unknown' THEN c.count ELSE 0 END) AS target_unknown
FROM wakeup_count c
JOIN (SELECT run_id, SUM(count) AS wakeups FROM wakeup_count GROUP BY run_id) t ON t.run_id = c.run_id
GROUP BY c.run_id, c.kind
ORDER BY c.run_id, wakeups DESC, c.kind;

-- section: Policies against the kernel
SELECT
	a.replay AS replay,
	a.policy AS policy,
	NULLIF(a.params, '') AS params,
	a.mode AS mode,
	a.decisions AS decisions,
	a.decisions - a.unanswered AS answered,
	round(100.0 * a.agree / NULLIF(a.decisions, 0), 2) AS agree_pct,
	a.interesting AS interesting,
	round(100.0 * a.interesting_agree / NULLIF(a.interesting, 0), 2) AS interesting_pct,
	a.differ AS differ,
	a.with_unknown AS with_unknown,
	r.violations AS violations
FROM agreement a
JOIN replay r ON r.replay_id = a.replay
WHERE a.machine = 'recorded'
ORDER BY a.replay;

-- include: runs

-- include: machines

-- section: Placing new tasks and execs
SELECT
	a.replay AS replay,
	a.policy AS policy,
	NULLIF(a.params, '') AS params,
	a.fork_decisions AS forks,
	round(100.0 * a.fork_agree / NULLIF(a.fork_decisions, 0), 2) AS fork_agree_pct,
	round(100.0 * a.fork_idle_agree / NULLIF(a.fork_idle, 0), 2) AS fork_idle_pct,
	a.exec_decisions AS execs,
	round(100.0 * a.exec_agree / NULLIF(a.exec_decisions, 0), 2) AS exec_agree_pct,
	round(100.0 * a.exec_idle_agree / NULLIF(a.exec_idle, 0), 2) AS exec_idle_pct
FROM agreement a
WHERE a.fork_decisions + a.exec_decisions > 0
ORDER BY a.replay;

-- section: Where they differ, who stays on the previous CPU
SELECT
	a.replay AS replay,
	a.policy AS policy,
	a.differ AS differ,
	coalesce(SUM(CASE WHEN d.kernel = 'moves' AND d.policy = 'stays' THEN d.count END), 0) AS policy_stays,
	coalesce(SUM(CASE WHEN d.kernel = 'stays' AND d.policy = 'moves' THEN d.count END), 0) AS policy_moves,
	coalesce(SUM(CASE WHEN d.kernel = 'moves' AND d.policy = 'moves' THEN d.count END), 0) AS both_move,
	coalesce(SUM(CASE WHEN d.kernel IS NULL OR d.policy IS NULL THEN d.count END), 0) AS unknown
FROM agreement a
JOIN difference d ON d.replay_id = a.replay AND d.what = 'place'
GROUP BY a.replay
ORDER BY a.replay;

-- section: Where they differ, how far from the waker's CPU
SELECT
	a.replay AS replay,
	a.policy AS policy,
	s.side AS placed_by,
	coalesce(SUM(CASE WHEN s.distance = 'same_cpu' THEN s.count END), 0) AS same_cpu,
	coalesce(SUM(CASE WHEN s.distance = 'smt' THEN s.count END), 0) AS smt,
	coalesce(SUM(CASE WHEN s.distance = 'llc' THEN s.count END), 0) AS llc,
	coalesce(SUM(CASE WHEN s.distance = 'node' THEN s.count END), 0) AS node,
	coalesce(SUM(CASE WHEN s.distance = 'remote' THEN s.count END), 0) AS remote,
	coalesce(SUM(CASE WHEN s.distance IS NULL THEN s.count END), 0) AS unknown
FROM agreement a
JOIN (
	SELECT replay_id, what, 'kernel' AS side, kernel AS distance, count FROM difference
	UNION ALL
	SELECT replay_id, what, 'policy', policy, count FROM difference
) s ON s.replay_id = a.replay AND s.what = 'waker_distance'
GROUP BY a.replay, s.side
ORDER BY a.replay, s.side;

-- section: Where they differ, how far from the previous CPU
SELECT
	a.replay AS replay,
	a.policy AS policy,
	s.side AS placed_by,
	coalesce(SUM(CASE WHEN s.distance = 'same_cpu' THEN s.count END), 0) AS same_cpu,
	coalesce(SUM(CASE WHEN s.distance = 'smt' THEN s.count END), 0) AS smt,
	coalesce(SUM(CASE WHEN s.distance = 'llc' THEN s.count END), 0) AS llc,
	coalesce(SUM(CASE WHEN s.distance = 'node' THEN s.count END), 0) AS node,
	coalesce(SUM(CASE WHEN s.distance = 'remote' THEN s.count END), 0) AS remote,
	coalesce(SUM(CASE WHEN s.distance IS NULL THEN s.count END), 0) AS unknown
FROM agreement a
JOIN (
	SELECT replay_id, what, 'kernel' AS side, kernel AS distance, count FROM difference
	UNION ALL
	SELECT replay_id, what, 'policy', policy, count FROM difference
) s ON s.replay_id = a.replay AND s.what = 'prev_distance'
GROUP BY a.replay, s.side
ORDER BY a.replay, s.side;

-- section: Where they differ, expected wait on the policy's CPU less that on the kernel's (report price)
SELECT
	a.replay AS replay,
	a.policy AS policy,
	a.differ AS differ,
	round(p.median_extra / 1000.0, 1) AS median_us,
	round(p.sum_extra / 1000.0 / NULLIF(p.priced, 0), 1) AS mean_us,
	round(100.0 * p.worse / NULLIF(p.priced, 0), 1) AS worse_pct,
	p.differ - p.priced AS unpriced
FROM agreement a
JOIN replay_price p ON p.replay_id = a.replay
ORDER BY a.replay;

-- section: Inputs that were read although nobody knows them
SELECT
	a.replay AS replay,
	a.policy AS policy,
	u.input AS input,
	u.count AS decisions,
	round(100.0 * u.count / a.decisions, 1) AS percent
FROM agreement a
JOIN unknown_input u ON u.replay_id = a.replay
ORDER BY a.replay, u.count DESC, u.input;

-- include: losses
