-- Who was on CPU ?2 of run ?1 between ?3 and ?4, first come first, with the time in that window; without idle tasks.
SELECT s.utid, SUM(MIN(s.ts + COALESCE(s.dur, ?4 - s.ts), ?4) - MAX(s.ts, ?3))
FROM t_slice s
JOIN t_task t ON t.utid = s.utid
WHERE s.id >> 40 = ?1 - 1 AND (s.bits & 0x7ff) - 1 = ?2 AND s.ts < ?4
	AND (s.dur IS NULL OR s.ts + s.dur > ?3) AND t.idle_cpu IS NULL
GROUP BY s.utid
ORDER BY MIN(s.ts);
