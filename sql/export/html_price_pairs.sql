-- Between whom each replay differs most from the kernel.  An interrupt is a waker of its own, as in graph_edge.sql.
WITH pair AS (
	SELECT
		x.replay_id AS replay, w.waker_utid, w.wakee_utid, CASE WHEN w.context <> 'task' THEN w.context END AS context,
		COUNT(*) AS differ, COUNT(x.extra_dur) AS priced,
		SUM(x.extra_dur) AS extra, COUNT(CASE WHEN x.extra_dur > 0 THEN 1 END) AS worse,
		COUNT(CASE WHEN x.extra_dur < 0 THEN 1 END) AS better
	FROM price x
	JOIN wakeup w ON w.id = x.wakeup_id
	WHERE x.run_id = :run
	GROUP BY x.replay_id, w.waker_utid, w.wakee_utid, CASE WHEN w.context <> 'task' THEN w.context END
),
named AS (
	SELECT
		p.replay, coalesce(p.context, a.name) AS waker, b.name AS wakee, SUM(p.differ) AS differ, SUM(p.priced) AS priced, SUM(p.extra) AS extra,
		SUM(p.worse) AS worse, SUM(p.better) AS better,
		ROW_NUMBER() OVER (PARTITION BY p.replay ORDER BY SUM(p.differ) DESC, coalesce(p.context, a.name), b.name) AS n
	FROM pair p
	LEFT JOIN task a ON a.utid = p.waker_utid
	LEFT JOIN task b ON b.utid = p.wakee_utid
	GROUP BY p.replay, coalesce(p.context, a.name), b.name
)
SELECT replay, waker, wakee, differ, priced, extra, worse, better
FROM named
WHERE n <= 40
ORDER BY replay, n;
