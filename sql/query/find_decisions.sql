-- Decisions and new tasks with ids from ?1 to ?2, at ?3 or later, of wakees named ?4 with tid ?5; NULL: any.
-- In the order of ?6 times the id, ?7 at most.
SELECT
	w.id, w.ts, w.waker_utid, w.wakee_utid, (w.cpus & 0x7ff) - 1, (w.cpus >> 11 & 0x7ff) - 1,
	(w.cpus >> 22 & 0x7ff) - 1
FROM t_wakeup w
JOIN t_task t ON t.utid = w.wakee_utid
WHERE w.id BETWEEN ?1 AND ?2 AND w.bits & 0xf IN (0, 6) AND (?3 IS NULL OR w.ts >= ?3)
	AND (?4 IS NULL OR t.comm = ?4) AND (?5 IS NULL OR t.tid = ?5)
ORDER BY ?6 * w.id
LIMIT ?7;
