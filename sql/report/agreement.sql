-- How exactly each replay answers like the recorded kernel, and what explains where it does not.

-- section: Agreement with the kernel
SELECT
	a.run_id AS run,
	a.replay AS replay,
	a.policy AS policy,
	NULLIF(a.params, '') AS params,
	a.mode AS mode,
	a.kernel AS kernel,
	a.decisions AS decisions,
	a.agree AS agree,
	round(100.0 * a.agree / NULLIF(a.decisions, 0), 2) AS agree_pct,
	a.interesting AS interesting,
	a.interesting_agree AS interesting_agree,
	round(100.0 * a.interesting_agree / NULLIF(a.interesting, 0), 2) AS interesting_pct,
	a.unanswered AS unanswered
FROM agreement a
WHERE a.machine = 'recorded'
ORDER BY a.replay;

-- include: machines

-- section: By the step that answered
SELECT
	a.replay AS replay,
	a.policy AS policy,
	c.reason AS reason,
	c.decisions AS decisions,
	c.agree AS agree,
	round(100.0 * c.agree / c.decisions, 2) AS agree_pct,
	c.interesting AS interesting,
	round(100.0 * c.interesting_agree / NULLIF(c.interesting, 0), 2) AS interesting_pct
FROM agreement a
JOIN reason_count c ON c.replay_id = a.replay
WHERE a.machine = 'recorded'
ORDER BY a.replay, c.decisions DESC, c.reason;

-- section: By how hidden values were known
SELECT
	a.replay AS replay,
	a.policy AS policy,
	c.what AS value,
	c.class AS known,
	c.decisions AS decisions,
	c.agree AS agree,
	round(100.0 * c.agree / c.decisions, 2) AS agree_pct,
	c.interesting AS interesting,
	round(100.0 * c.interesting_agree / NULLIF(c.interesting, 0), 2) AS interesting_pct
FROM agreement a
JOIN agreement_by c ON c.replay_id = a.replay AND c.what <> 'history'
WHERE a.machine = 'recorded'
ORDER BY a.replay, c.what <> 'worst', c.what, c.pos DESC;

-- section: By how often the wakee had been placed
SELECT
	a.replay AS replay,
	a.policy AS policy,
	c.class AS nth_decision,
	c.decisions AS decisions,
	c.agree AS agree,
	round(100.0 * c.agree / c.decisions, 2) AS agree_pct,
	c.interesting AS interesting,
	round(100.0 * c.interesting_agree / NULLIF(c.interesting, 0), 2) AS interesting_pct
FROM agreement a
JOIN agreement_by c ON c.replay_id = a.replay AND c.what = 'history'
WHERE a.machine = 'recorded'
ORDER BY a.replay, c.pos;

-- section: Misses of the kernel's model, by the one hidden value that would explain them
SELECT
	a.replay AS replay,
	a.policy AS policy,
	m.explained_by AS explained_by,
	m.count AS misses,
	round(100.0 * m.count / (a.decisions - a.agree), 1) AS percent
FROM agreement a
JOIN miss m ON m.replay_id = a.replay
WHERE a.machine = 'recorded'
ORDER BY a.replay, m.count DESC, m.explained_by;

-- section: Misses of the kernel's model beside which a CPU of the cache domain became idle or busy
SELECT
	a.replay AS replay,
	a.policy AS policy,
	r.misses AS probed_misses,
	r.in_call AS entry_to_return,
	r.near_entry AS within_5_us,
	r.candidates AS race_candidates
FROM agreement a
JOIN race r ON r.replay_id = a.replay
WHERE a.machine = 'recorded'
ORDER BY a.replay;

-- include: losses
