-- Where the answers of two policies differ: by reasons, by distance, by who wakes whom.
-- param: a text = linux  policy A: its name, its name,parameters or the number of its replay
-- param: b text = NULL  policy B; NULL: of the others the one that differs most from the kernel
-- param: run integer = NULL in 1..8388607  number of the run; NULL: that of the first replay of A
-- param: top integer = 20 in 1..1000000  rows of each list

DROP TABLE IF EXISTS temp.rwk_side;
CREATE TEMP TABLE rwk_side AS
-- A and B: the first replays of one run that are called so and kept their verdicts.
SELECT
	a.replay_id AS a, a.run_id AS run_id,
	coalesce(
		(
			SELECT b.replay_id FROM replay b
			WHERE b.run_id = a.run_id AND NOT b.summary_only
				AND (b.policy = :b OR b.policy || ',' || b.params = :b OR CAST(b.replay_id AS TEXT) = :b)
			ORDER BY b.machine <> 'recorded', b.replay_id LIMIT 1
		),
		CASE WHEN :b IS NULL THEN (
			SELECT g.replay FROM agreement g JOIN replay b ON b.replay_id = g.replay
			WHERE g.run_id = a.run_id AND g.machine = 'recorded' AND NOT b.summary_only AND g.replay <> a.replay_id
			ORDER BY g.differ DESC, g.replay LIMIT 1
		) END
	) AS b
FROM replay a
WHERE NOT a.summary_only AND a.run_id = coalesce(:run, a.run_id)
	AND (a.policy = coalesce(:a, 'linux') OR a.policy || ',' || a.params = coalesce(:a, 'linux')
		OR CAST(a.replay_id AS TEXT) = coalesce(:a, 'linux'))
ORDER BY a.machine <> 'recorded', a.replay_id
LIMIT 1;

DROP TABLE IF EXISTS temp.rwk_differ;
CREATE TEMP TABLE rwk_differ AS
-- Decisions that both answered, and not with the same CPU.  Whoever an interrupt came upon did not wake.
SELECT
	waker_utid, wakee_utid, cpus >> 22 AS cpu, cpus >> 11 & 2047 AS a_cpu, cpus & 2047 AS b_cpu,
	codes >> 8 & 255 AS a_code, codes & 255 AS b_code,
	COUNT(*) AS count, SUM(codes >> 16 & 1) AS like_a, SUM(codes >> 17 & 1) AS like_b
FROM (
	SELECT
		CASE w.context WHEN 'softirq' THEN -1 WHEN 'hardirq' THEN -2 WHEN 'nmi' THEN -3 ELSE w.waker_utid END AS waker_utid,
		w.wakee_utid AS wakee_utid,
		(w.cpu << 22) | (a.cpu << 11) | b.cpu AS cpus,
		(coalesce(b.agrees, 0) << 17) | (coalesce(a.agrees, 0) << 16) | (a.reason_code << 8) | b.reason_code AS codes
	FROM rwk_side s
	JOIN verdict a ON a.replay_id = s.a
	JOIN verdict b ON b.replay_id = s.b AND b.wakeup_id = a.wakeup_id
	JOIN wakeup w ON w.id = a.wakeup_id
	WHERE a.cpu <> b.cpu AND w.kind = 'decision'
)
GROUP BY waker_utid, wakee_utid, cpus, codes;

-- section: A and B; like_kernel: of the decisions where they differ
SELECT
	n.name AS side,
	r.replay_id AS replay,
	coalesce(r.policy, 'no replay of ' || CASE n.name
		WHEN 'A' THEN coalesce(:a, 'linux') ELSE coalesce(:b, 'another') END || ' kept verdicts') AS policy,
	NULLIF(r.params, '') AS params,
	r.machine AS machine,
	g.decisions AS decisions,
	round(100.0 * g.agree / NULLIF(g.decisions, 0), 2) AS agree_pct,
	coalesce((SELECT SUM(count) FROM rwk_differ), 0) AS differ,
	coalesce((SELECT SUM(CASE n.name WHEN 'A' THEN like_a ELSE like_b END) FROM rwk_differ), 0) AS like_kernel
FROM (SELECT 'A' AS name UNION ALL SELECT 'B') n
LEFT JOIN rwk_side s
LEFT JOIN replay r ON r.replay_id = CASE n.name WHEN 'A' THEN s.a ELSE s.b END
LEFT JOIN agreement g ON g.replay = r.replay_id
ORDER BY n.name;

-- section: By reasons: A said its CPU because of the one, B because of the other
SELECT
	x.name AS a_reason,
	y.name AS b_reason,
	d.count AS decisions,
	round(100.0 * d.count / (SELECT SUM(count) FROM rwk_differ), 1) AS percent,
	d.like_a AS kernel_like_a,
	d.like_b AS kernel_like_b
FROM (
	SELECT a_code, b_code, SUM(count) AS count, SUM(like_a) AS like_a, SUM(like_b) AS like_b
	FROM rwk_differ
	GROUP BY a_code, b_code
) d
JOIN rwk_side s
JOIN replay a ON a.replay_id = s.a
JOIN replay b ON b.replay_id = s.b
LEFT JOIN policy_reason x ON x.policy_id = a.policy_id AND x.kind = 'reason' AND x.code = d.a_code
LEFT JOIN policy_reason y ON y.policy_id = b.policy_id AND y.kind = 'reason' AND y.code = d.b_code
ORDER BY decisions DESC, a_reason, b_reason
LIMIT coalesce(:top, 20);

-- section: By distance from the waker's CPU
WITH d AS (
	SELECT cpu, a_cpu, b_cpu, SUM(count) AS count, SUM(like_a) AS like_a, SUM(like_b) AS like_b
	FROM rwk_differ
	GROUP BY cpu, a_cpu, b_cpu
)
SELECT
	CASE
		WHEN d.a_cpu = d.cpu THEN 'same_cpu'
		WHEN a.core = c.core THEN 'smt'
		WHEN a.llc = c.llc THEN 'llc'
		WHEN a.node = c.node THEN 'node'
		WHEN a.node <> c.node THEN 'remote'
	END AS a_distance,
	CASE
		WHEN d.b_cpu = d.cpu THEN 'same_cpu'
		WHEN b.core = c.core THEN 'smt'
		WHEN b.llc = c.llc THEN 'llc'
		WHEN b.node = c.node THEN 'node'
		WHEN b.node <> c.node THEN 'remote'
	END AS b_distance,
	SUM(d.count) AS decisions,
	round(100.0 * SUM(d.count) / (SELECT SUM(count) FROM d), 1) AS percent,
	SUM(d.like_a) AS kernel_like_a,
	SUM(d.like_b) AS kernel_like_b
FROM d
JOIN rwk_side s
JOIN run r ON r.run_id = s.run_id
LEFT JOIN machine_cpu c ON c.machine_id = r.machine_id AND c.cpu = d.cpu
LEFT JOIN machine_cpu a ON a.machine_id = r.machine_id AND a.cpu = d.a_cpu
LEFT JOIN machine_cpu b ON b.machine_id = r.machine_id AND b.cpu = d.b_cpu
GROUP BY a_distance, b_distance
ORDER BY decisions DESC, a_distance, b_distance;

-- section: By who wakes whom
SELECT
	CASE d.waker_utid WHEN -1 THEN '(softirq)' WHEN -2 THEN '(hardirq)' WHEN -3 THEN '(nmi)' ELSE coalesce(a.name, '?') END AS waker,
	coalesce(b.name, '?') AS wakee,
	SUM(d.count) AS decisions,
	round(100.0 * SUM(d.count) / (SELECT SUM(count) FROM rwk_differ), 1) AS percent,
	SUM(d.like_a) AS kernel_like_a,
	SUM(d.like_b) AS kernel_like_b
FROM rwk_differ d
LEFT JOIN task a ON a.utid = d.waker_utid
LEFT JOIN task b ON b.utid = d.wakee_utid
GROUP BY 1, 2
ORDER BY decisions DESC, waker, wakee
LIMIT coalesce(:top, 20);

-- include: losses
