-- Threads: how long they ran, the last one until the end, and how long they waited once woken.
WITH ran AS (
	SELECT
		s.utid, COUNT(*) AS runs, COUNT(DISTINCT s.cpu) AS cpus, SUM(coalesce(s.dur, r.last_ts - s.ts)) AS ran,
		COUNT(CASE WHEN s.end_state IN ('R', 'R+') THEN 1 END) AS preempted
	FROM slice s
	JOIN run r ON r.run_id = s.run_id
	WHERE s.run_id = :run
	GROUP BY s.utid
),
ranked AS (
	SELECT
		wakee_utid AS utid, run_dur, prev_cpu <> target_cpu AS moved,
		ROW_NUMBER() OVER (PARTITION BY wakee_utid ORDER BY run_dur IS NULL, run_dur) AS n,
		COUNT(run_dur) OVER (PARTITION BY wakee_utid) AS of
	FROM wakeup
	WHERE run_id = :run AND kind = 'decision'
),
waited AS (
	SELECT
		utid, COUNT(*) AS decisions, COUNT(*) - COUNT(run_dur) AS unknown, SUM(moved) AS moved, COUNT(moved) AS moved_known,
		MIN(CASE WHEN n * 100 >= of * 50 THEN run_dur END) AS p50,
		MIN(CASE WHEN n * 100 >= of * 99 THEN run_dur END) AS p99,
		MAX(run_dur) AS max_wait, SUM(run_dur) AS wait
	FROM ranked
	GROUP BY utid
)
SELECT
	t.name, t.tid, t.cgroup,
	r.runs, r.cpus, r.ran, r.preempted,
	w.decisions, w.unknown, w.moved, w.moved_known, w.p50, w.p99, w.max_wait, w.wait
FROM task t
LEFT JOIN ran r ON r.utid = t.utid
LEFT JOIN waited w ON w.utid = t.utid
WHERE t.run_id = :run AND t.idle_cpu IS NULL
ORDER BY coalesce(w.wait, 0) + coalesce(r.ran, 0) DESC, t.utid
LIMIT :rows;
