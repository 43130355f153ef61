-- Prices of replay ?1 altogether, after insert_replay_edges.
INSERT INTO t_replay_price (replay_id, differ, priced, median_extra, sum_extra, worse, better, passed_idle, waker_slept)
SELECT
	e.replay_id, e.differ, e.priced,
	(
		SELECT CASE WHEN x.bits & 63 THEN
			CASE WHEN x.bits & 7 THEN x.wait ELSE r.idle_wait END
			- CASE WHEN x.bits >> 3 & 7 THEN x.kernel_wait ELSE r.idle_wait END
		ELSE 0 END AS extra
		FROM t_price x
		JOIN t_replay r ON r.id = x.replay_id
		WHERE x.replay_id = e.replay_id AND extra IS NOT NULL
		ORDER BY extra
		LIMIT 1 OFFSET (SELECT (SUM(priced) + 1) / 2 - 1 FROM t_replay_edge WHERE replay_id = ?1)
	),
	e.sum_extra, e.worse, e.better, e.passed_idle, e.waker_slept
FROM (
	SELECT
		replay_id, SUM(differ) AS differ, SUM(priced) AS priced, SUM(sum_extra) AS sum_extra, SUM(worse) AS worse,
		SUM(better) AS better, SUM(passed_idle) AS passed_idle, SUM(waker_slept) AS waker_slept
	FROM t_replay_edge
	WHERE replay_id = ?1
	GROUP BY replay_id
) e;
