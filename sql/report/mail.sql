-- The policies as a narrow table for a mail: at most 72 columns wide.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all

-- section: Recorded
SELECT
	r.run_id AS run,
	substr(coalesce(r.release, m.release, '?'), 1, 28) AS kernel,
	m.nr_cpu_ids AS cpus,
	m.nr_llc AS llcs,
	m.nr_nodes AS nodes,
	round(r.dur / 1000000000.0, 3) AS span_s,
	(SELECT SUM(c.count) FROM wakeup_count c WHERE c.run_id = r.run_id AND c.kind = 'decision') AS decisions
FROM run r
JOIN machine m ON m.machine_id = r.machine_id
WHERE r.run_id = coalesce(:run, r.run_id)
ORDER BY r.run_id;

-- section: Answers against the kernel's, all and interesting; wait beside it
SELECT
	a.replay AS "#",
	substr(a.policy, 1, 18) AS policy,
	round(100.0 * a.agree / NULLIF(a.decisions, 0), 2) AS "agree%",
	round(100.0 * a.interesting_agree / NULLIF(a.interesting, 0), 2) AS "inter%",
	a.differ AS differ,
	round(p.median_extra / 1000.0, 1) AS "med_us",
	round(100.0 * p.worse / NULLIF(p.priced, 0), 1) AS "worse%",
	round(100.0 * p.better / NULLIF(p.priced, 0), 1) AS "better%"
FROM agreement a
LEFT JOIN replay_price p ON p.replay_id = a.replay
WHERE a.machine = 'recorded' AND a.run_id = coalesce(:run, a.run_id)
ORDER BY a.replay;

-- section if any: The same for another machine: a difference is no error
SELECT
	a.replay AS "#",
	substr(a.policy, 1, 18) AS policy,
	substr(a.machine, 1, 24) AS machine,
	round(100.0 * a.agree / NULLIF(a.decisions, 0), 2) AS "same%",
	a.differ AS differ
FROM agreement a
WHERE a.machine <> 'recorded' AND a.run_id = coalesce(:run, a.run_id)
ORDER BY a.replay;

-- section if any: Parameters
SELECT a.replay AS "#", a.run_id AS run, a.mode AS mode, substr(NULLIF(a.params, ''), 1, 48) AS params
FROM agreement a
WHERE (a.params <> '' OR a.mode <> 'open') AND a.run_id = coalesce(:run, a.run_id)
ORDER BY a.replay;

-- include: runs

-- section: How to read this
SELECT 'inter%' AS item, 'of decisions whose previous CPU was busy or not taken' AS meaning
UNION ALL SELECT 'med_us', 'median of policy''s wait - kernel''s, where they differ'
UNION ALL SELECT 'worse%', 'share of these waits above 0; better%: below 0';

-- include: losses_short
