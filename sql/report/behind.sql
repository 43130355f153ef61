-- Who ran while I waited: tasks that were on the CPU where a woken task waited for it.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all
-- param: top integer = 20 in 1..1000000  rows of each list
-- param: min_us real = 10 in 0..1000000000  waits shorter than this many microseconds are left out
-- param: waits integer = 50000 in 1..100000000  so many of the longest waits are examined at most
-- param: share real = 25 in 0..100000  they are examined until they add up to so many percent of all CPUs' time

DROP TABLE IF EXISTS temp.rwk_examined;
CREATE TEMP TABLE rwk_examined AS
-- Waits on the CPU where the wakee was put and then ran; the longest ones, whose sum bounds the work.
SELECT id, run_id, cpu, utid, ts, ts + dur AS end_ts, dur
FROM (
	SELECT w.*, SUM(w.dur) OVER (PARTITION BY w.run_id ORDER BY w.dur DESC, w.id) AS upto
	FROM (
		SELECT id, run_id, target_cpu AS cpu, wakee_utid AS utid, ts, run_dur AS dur
		FROM wakeup
		WHERE target_cpu = run_cpu AND wakee_utid IS NOT NULL AND run_dur >= coalesce(:min_us, 10) * 1000
			AND run_id = coalesce(:run, run_id)
		ORDER BY run_dur DESC, id
		LIMIT coalesce(:waits, 50000)
	) w
) w
WHERE upto - dur <= (SELECT r.dur * r.nr_cpus * (coalesce(:share, 25) / 100.0) FROM run r WHERE r.run_id = w.run_id);

DROP TABLE IF EXISTS temp.rwk_cover;
CREATE TEMP TABLE rwk_cover (
-- The same as times that do not overlap.
	run_id INTEGER,
	cpu INTEGER,
	ts INTEGER,
	end_ts INTEGER,
	PRIMARY KEY (run_id, cpu, ts)
) WITHOUT ROWID;
INSERT INTO rwk_cover
SELECT run_id, cpu, MIN(ts), MAX(end_ts)
FROM (
	SELECT *, SUM(begins) OVER (PARTITION BY run_id, cpu ORDER BY ts, id) AS island
	FROM (
		SELECT
			id, run_id, cpu, ts, end_ts,
			ts > coalesce(MAX(end_ts) OVER (PARTITION BY run_id, cpu ORDER BY ts, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), ts - 1) AS begins
		FROM rwk_examined
	)
)
GROUP BY run_id, cpu, island;

DROP TABLE IF EXISTS temp.rwk_stay;
CREATE TEMP TABLE rwk_stay (
-- Slices that overlap these times.
	run_id INTEGER,
	cpu INTEGER,
	ts INTEGER,
	id INTEGER,
	end_ts INTEGER,
	utid INTEGER,
	PRIMARY KEY (run_id, cpu, ts, id)
) WITHOUT ROWID;
INSERT INTO rwk_stay
SELECT run_id, cpu, ts, id, coalesce(ts + dur, 9223372036854775807), utid
FROM slice s
WHERE run_id = coalesce(:run, run_id) AND ts < (
	SELECT c.end_ts FROM rwk_cover c
	WHERE c.run_id = s.run_id AND c.cpu = s.cpu AND c.ts < coalesce(s.ts + s.dur, 9223372036854775807)
	ORDER BY c.ts DESC LIMIT 1
)
ORDER BY run_id, cpu, ts, id;

DROP TABLE IF EXISTS temp.rwk_behind;
CREATE TEMP TABLE rwk_behind AS
-- A wait and a task that ran during it.
SELECT e.id, e.run_id, e.cpu, e.utid, s.utid AS by_utid, SUM(MIN(e.end_ts, s.end_ts) - MAX(e.ts, s.ts)) AS dur
FROM rwk_examined e
CROSS JOIN rwk_stay s ON s.run_id = e.run_id AND s.cpu = e.cpu AND s.ts < e.end_ts AND s.ts >= coalesce((
	SELECT b.ts FROM rwk_stay b
	WHERE b.run_id = e.run_id AND b.cpu = e.cpu AND b.ts <= e.ts
	ORDER BY b.ts DESC LIMIT 1
), e.ts)
WHERE s.end_ts > e.ts
GROUP BY e.id, s.utid;

-- section: What was examined
WITH known AS (
	SELECT run_id, SUM(dur) AS dur FROM rwk_behind GROUP BY run_id
)
SELECT
	w.run_id AS run,
	w.wakeups AS wakeups,
	w.waits AS waits,
	w.unknown AS unknown,
	w.elsewhere AS ran_elsewhere,
	coalesce(e.waits, 0) AS examined,
	round(100.0 * e.dur / NULLIF(w.dur, 0), 1) AS of_time_pct,
	round(100.0 * coalesce(k.dur, 0) / e.dur, 1) AS explained_pct
FROM (
	SELECT
		run_id, COUNT(*) AS wakeups, COUNT(run_dur) AS waits, SUM(run_dur) AS dur, SUM(run_dur IS NULL) AS unknown,
		coalesce(SUM(target_cpu <> run_cpu), 0) AS elsewhere
	FROM wakeup
	WHERE run_id = coalesce(:run, run_id)
	GROUP BY run_id
) w
LEFT JOIN (SELECT run_id, COUNT(*) AS waits, SUM(dur) AS dur FROM rwk_examined GROUP BY run_id) e ON e.run_id = w.run_id
LEFT JOIN known k ON k.run_id = w.run_id
ORDER BY w.run_id;

-- section: By name: how long it waited while the other ran; (idle): the CPU was still on its way out of idle
SELECT
	b.run_id AS run,
	coalesce(x.name, '?') AS task,
	CASE WHEN y.idle_cpu IS NOT NULL THEN '(idle)' ELSE coalesce(y.name, '?') END AS behind,
	COUNT(*) AS waits,
	COUNT(DISTINCT b.cpu) AS cpus,
	round(SUM(b.dur) / 1000000.0, 3) AS sum_ms,
	round(SUM(b.dur) / 1000.0 / COUNT(*), 1) AS mean_us,
	round(MAX(b.dur) / 1000.0, 1) AS max_us
FROM rwk_behind b
LEFT JOIN task x ON x.utid = b.utid
LEFT JOIN task y ON y.utid = b.by_utid
GROUP BY b.run_id, 2, 3
ORDER BY SUM(b.dur) DESC, b.run_id, task, behind
LIMIT coalesce(:top, 20);

-- section: The longest single ones
SELECT
	b.run_id AS run,
	b.id AS wakeup,
	x.name AS task,
	x.tid AS tid,
	b.cpu AS cpu,
	CASE WHEN y.idle_cpu IS NOT NULL THEN '(idle)' ELSE coalesce(y.name, '?') END AS behind,
	y.tid AS behind_tid,
	round(b.dur / 1000.0, 1) AS behind_us,
	round((SELECT e.dur FROM rwk_examined e WHERE e.id = b.id) / 1000.0, 1) AS waited_us
FROM (SELECT * FROM rwk_behind ORDER BY dur DESC, id, by_utid LIMIT coalesce(:top, 20)) b
LEFT JOIN task x ON x.utid = b.utid
LEFT JOIN task y ON y.utid = b.by_utid
ORDER BY b.dur DESC, b.id, b.by_utid;

-- include: losses
