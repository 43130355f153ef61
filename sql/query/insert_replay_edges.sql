-- Prices of replay ?1 by who wakes whom.
INSERT INTO t_replay_edge (replay_id, waker_utid, wakee_utid, differ, priced, sum_extra, worse, better, passed_idle, waker_slept)
SELECT
	?1, waker_utid, wakee_utid, COUNT(*), COUNT(extra), coalesce(SUM(extra), 0),
	COUNT(CASE WHEN extra > 0 THEN 1 END), COUNT(CASE WHEN extra < 0 THEN 1 END),
	SUM(bits >> 6 & 1), SUM(bits >> 7 & 1)
FROM (
	SELECT
		x.bits,
		coalesce(w.waker_utid, w.id >> 40 << 40) AS waker_utid,
		coalesce(w.wakee_utid, w.id >> 40 << 40) AS wakee_utid,
		CASE WHEN x.bits & 63 THEN
			CASE WHEN x.bits & 7 THEN x.wait ELSE r.idle_wait END
			- CASE WHEN x.bits >> 3 & 7 THEN x.kernel_wait ELSE r.idle_wait END
		ELSE 0 END AS extra
	FROM t_price x
	JOIN t_replay r ON r.id = x.replay_id
	JOIN t_wakeup w ON w.id = x.wakeup_id
	WHERE x.replay_id = ?1
)
GROUP BY waker_utid, wakee_utid;
