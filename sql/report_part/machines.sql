-- Replays that decided for another machine; apart, as their agreement is no measure of anything.

-- section if any: Replays for another machine: same and differ are against the kernel on the recorded one
SELECT
	a.replay AS replay,
	a.policy AS policy,
	NULLIF(a.params, '') AS params,
	a.mode AS mode,
	a.machine AS machine,
	m.nr_llc AS llcs,
	m.nr_nodes AS nodes,
	CASE m.smt_active WHEN 1 THEN 'on' ELSE 'off' END AS smt,
	a.decisions AS decisions,
	a.decisions - a.unanswered AS answered,
	a.agree AS same,
	a.differ AS differ,
	a.with_unknown AS with_unknown,
	r.violations AS violations
FROM agreement a
JOIN replay r ON r.replay_id = a.replay
JOIN machine m ON m.machine_id = r.machine_id
WHERE a.machine <> 'recorded'
ORDER BY a.replay;
