-- What is known of each CPU in each column of the heat map; time that no stay covers is unknown.
WITH RECURSIVE piece(cpu, busy, from_ts, to_ts, starts) AS (
	SELECT
		s.cpu, t.idle_cpu IS NULL, MAX(s.ts, r.first_ts) - r.first_ts,
		MIN(coalesce(s.ts + s.dur, r.last_ts), r.last_ts) - r.first_ts, t.idle_cpu IS NULL
	FROM slice s
	JOIN task t ON t.utid = s.utid
	JOIN run r ON r.run_id = s.run_id
	WHERE s.run_id = :run
	UNION ALL
	SELECT cpu, busy, (from_ts / :bin + 1) * :bin, to_ts, 0
	FROM piece
	WHERE to_ts > (from_ts / :bin + 1) * :bin
),
cell AS (
	SELECT
		cpu,
		from_ts / :bin AS bin,
		CASE WHEN busy THEN MIN(to_ts, (from_ts / :bin + 1) * :bin) - from_ts ELSE 0 END AS busy,
		CASE WHEN busy THEN 0 ELSE MIN(to_ts, (from_ts / :bin + 1) * :bin) - from_ts END AS idle,
		starts AS runs, 0 AS decisions, 0 AS moved, NULL AS max_wait
	FROM piece
	UNION ALL
	SELECT w.target_cpu, (w.ts - r.first_ts) / :bin, 0, 0, 0, 1, w.prev_cpu <> w.target_cpu, w.run_dur
	FROM wakeup w
	JOIN run r ON r.run_id = w.run_id
	WHERE w.run_id = :run AND w.kind = 'decision' AND w.target_cpu IS NOT NULL
)
SELECT
	cpu,
	bin,
	SUM(busy) AS busy,
	SUM(idle) AS idle,
	SUM(runs) AS runs,
	SUM(decisions) AS decisions,
	coalesce(SUM(moved), 0) AS moved,
	MAX(max_wait) AS max_wait
FROM cell
GROUP BY cpu, bin
ORDER BY cpu, bin;
