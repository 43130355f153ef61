-- Wasted cores: wakeups that waited for a CPU although another one, on which they may run, sat idle.
-- param: run integer = NULL in 1..8388607  number of the run; NULL: all
-- param: top integer = 20 in 1..1000000  rows of each list
-- param: min_us real = 10 in 0..1000000000  shorter waits, and CPUs that were idle for less of them, are left out
-- param: waits integer = NULL in 1..100000000  so many of the longest waits are examined; NULL: 100000 / CPUs

DROP TABLE IF EXISTS temp.rwk_examined;
CREATE TEMP TABLE rwk_examined (
-- The longest waits of decisions, on the CPU where the kernel put the wakee.
	id INTEGER PRIMARY KEY,
	run_id INTEGER,
	cpu INTEGER,
	utid INTEGER,
	ts INTEGER,
	end_ts INTEGER,
	dur INTEGER,
	lossy INTEGER -- events were lost meanwhile
);
INSERT INTO rwk_examined
SELECT
	w.id, w.run_id, w.target_cpu AS cpu, w.wakee_utid AS utid, w.ts, w.ts + w.run_dur AS end_ts, w.run_dur AS dur,
	EXISTS (
		SELECT 1 FROM loss l WHERE l.run_id = w.run_id AND l.to_ts >= w.ts AND coalesce(l.from_ts, w.ts) <= w.ts + w.run_dur
	) AS lossy
FROM wakeup w
WHERE w.kind = 'decision' AND w.target_cpu IS NOT NULL AND w.wakee_utid IS NOT NULL
	AND w.run_dur >= coalesce(:min_us, 10) * 1000 AND w.run_id = coalesce(:run, w.run_id)
ORDER BY w.run_dur DESC, w.id
LIMIT coalesce(:waits, (SELECT 100000 / MAX(nr_cpus) FROM run WHERE nr_cpus > 0));

DROP TABLE IF EXISTS temp.rwk_idle;
CREATE TEMP TABLE rwk_idle (
-- Times in which a CPU was idle for long enough.
	run_id INTEGER,
	cpu INTEGER,
	ts INTEGER,
	id INTEGER,
	end_ts INTEGER,
	PRIMARY KEY (run_id, cpu, ts, id)
) WITHOUT ROWID;
INSERT INTO rwk_idle
SELECT s.run_id, s.cpu, s.ts, s.id, coalesce(s.ts + s.dur, r.last_ts)
FROM slice s
JOIN task t ON t.utid = s.utid
JOIN run r ON r.run_id = s.run_id
WHERE t.idle_cpu IS NOT NULL AND s.run_id = coalesce(:run, s.run_id)
	AND coalesce(s.dur, r.last_ts - s.ts) >= coalesce(:min_us, 10) * 1000
ORDER BY s.run_id, s.cpu, s.ts, s.id;

DROP TABLE IF EXISTS temp.rwk_list;
CREATE TEMP TABLE rwk_list (
-- Affinities as lists of CPUs, one row per CPU.
	list TEXT,
	cpu INTEGER,
	PRIMARY KEY (list, cpu)
) WITHOUT ROWID;
INSERT INTO rwk_list
WITH RECURSIVE text AS (
	SELECT DISTINCT coalesce(t.allowed, t.seen) AS list
	FROM task t
	WHERE t.utid IN (SELECT utid FROM rwk_examined)
),
part AS (
	SELECT list, '' AS piece, list || ',' AS rest FROM text
	UNION ALL
	SELECT list, substr(rest, 1, instr(rest, ',') - 1), substr(rest, instr(rest, ',') + 1)
	FROM part
	WHERE rest <> ''
),
bound AS (
	SELECT
		list, CAST(piece AS INTEGER) AS first,
		CAST(substr(piece, instr(piece, '-') + 1) AS INTEGER) AS last
	FROM part
	WHERE piece <> ''
),
each AS (
	SELECT list, first AS cpu, last FROM bound
	UNION ALL
	SELECT list, cpu + 1, last FROM each WHERE cpu < last
)
SELECT DISTINCT list, cpu FROM each;

DROP TABLE IF EXISTS temp.rwk_beside;
CREATE TEMP TABLE rwk_beside (
-- A wait and a CPU that was idle meanwhile.
	id INTEGER,
	cpu INTEGER,
	allowed INTEGER, -- 1, 0, or NULL where nobody knows whether it may run there
	dur INTEGER,
	PRIMARY KEY (id, cpu)
) WITHOUT ROWID;
INSERT INTO rwk_beside
SELECT
	e.id AS id, i.cpu AS cpu,
	CASE WHEN l.cpu IS NOT NULL THEN 1 WHEN t.allowed IS NOT NULL THEN 0 END AS allowed,
	SUM(MIN(e.end_ts, i.end_ts) - MAX(e.ts, i.ts)) AS dur
FROM rwk_examined e
CROSS JOIN task t ON t.utid = e.utid
CROSS JOIN run_cpu c ON c.run_id = e.run_id AND c.cpu <> e.cpu AND c.observed
CROSS JOIN rwk_idle i ON i.run_id = e.run_id AND i.cpu = c.cpu AND i.ts < e.end_ts AND i.ts >= coalesce((
	SELECT b.ts FROM rwk_idle b
	WHERE b.run_id = e.run_id AND b.cpu = c.cpu AND b.ts <= e.ts
	ORDER BY b.ts DESC LIMIT 1
), e.ts)
LEFT JOIN rwk_list l ON l.list = coalesce(t.allowed, t.seen) AND l.cpu = c.cpu
WHERE i.end_ts > e.ts
GROUP BY e.id, i.cpu
HAVING dur >= coalesce(:min_us, 10) * 1000;

DROP TABLE IF EXISTS temp.rwk_wasted;
CREATE TEMP TABLE rwk_wasted AS
-- Each wait with the allowed CPU that was idle for longest, the nearest of several.
SELECT
	e.id, e.run_id, e.utid, e.cpu, e.dur, b.cpu AS idle_cpu, b.dur AS idle_dur, b.distance,
	CASE
		WHEN b.cpu IS NOT NULL THEN 1
		WHEN EXISTS (SELECT 1 FROM rwk_beside u WHERE u.id = e.id AND u.allowed IS NULL) THEN 2
		WHEN e.lossy OR EXISTS (SELECT 1 FROM run_cpu c WHERE c.run_id = e.run_id AND NOT c.observed) THEN 3
		ELSE 4
	END AS class
FROM rwk_examined e
LEFT JOIN (
	SELECT
		b.id, b.cpu, b.dur,
		CASE
			WHEN x.core = y.core THEN 1 WHEN x.llc = y.llc THEN 2 WHEN x.node = y.node THEN 3 WHEN x.node <> y.node THEN 4
		END AS distance,
		ROW_NUMBER() OVER (PARTITION BY b.id ORDER BY b.dur DESC, CASE
			WHEN x.core = y.core THEN 1 WHEN x.llc = y.llc THEN 2 WHEN x.node = y.node THEN 3 ELSE 4
		END, b.cpu) AS n
	FROM rwk_beside b
	JOIN rwk_examined e ON e.id = b.id
	JOIN run r ON r.run_id = e.run_id
	LEFT JOIN machine_cpu x ON x.machine_id = r.machine_id AND x.cpu = e.cpu
	LEFT JOIN machine_cpu y ON y.machine_id = r.machine_id AND y.cpu = b.cpu
	WHERE b.allowed
) b ON b.id = e.id AND b.n = 1;

-- section: How to read this
SELECT 'wasted' AS class, 'a CPU on which the wakee may run, or was seen to run, was idle during the wait: idle_ms for so long' AS meaning
UNION ALL SELECT 'unknown: affinity', 'a CPU was idle, but nobody knows whether the wakee may run there'
UNION ALL SELECT 'unknown: occupancy', 'events were lost meanwhile, or a CPU was not observed'
UNION ALL SELECT 'all busy', 'no other CPU was idle on which it may run';

-- section: What was examined
SELECT
	w.run_id AS run,
	w.decisions AS decisions,
	w.unknown AS unknown_wait,
	COUNT(e.id) AS examined,
	round(100.0 * SUM(e.dur) / NULLIF(w.dur, 0), 1) AS of_time_pct,
	round(MIN(e.dur) / 1000.0, 1) AS shortest_us
FROM (
	SELECT run_id, COUNT(*) AS decisions, SUM(run_dur IS NULL) AS unknown, SUM(run_dur) AS dur
	FROM wakeup
	WHERE kind = 'decision' AND run_id = coalesce(:run, run_id)
	GROUP BY run_id
) w
LEFT JOIN rwk_examined e ON e.run_id = w.run_id
GROUP BY w.run_id
ORDER BY w.run_id;

-- section: Examined waits
SELECT
	run_id AS run,
	CASE class WHEN 1 THEN 'wasted' WHEN 2 THEN 'unknown: affinity' WHEN 3 THEN 'unknown: occupancy' ELSE 'all busy' END AS class,
	COUNT(*) AS waits,
	round(SUM(dur) / 1000000.0, 3) AS waited_ms,
	round(SUM(idle_dur) / 1000000.0, 3) AS idle_ms,
	round(MAX(idle_dur) / 1000.0, 1) AS longest_us
FROM rwk_wasted
GROUP BY run_id, class
ORDER BY run_id, waits DESC, class;

-- section: Wasted, by the distance from the CPU where it waited to the idle one
SELECT
	run_id AS run,
	CASE distance WHEN 1 THEN 'smt' WHEN 2 THEN 'llc' WHEN 3 THEN 'node' WHEN 4 THEN 'remote' ELSE 'unknown' END AS distance,
	COUNT(*) AS waits,
	round(SUM(dur) / 1000000.0, 3) AS waited_ms,
	round(SUM(idle_dur) / 1000000.0, 3) AS idle_ms,
	round(MAX(idle_dur) / 1000.0, 1) AS longest_us
FROM rwk_wasted
WHERE class = 1
GROUP BY run_id, distance
ORDER BY run_id, coalesce(distance, 9);

-- section: Tasks that lost most
SELECT
	w.run_id AS run,
	t.name AS task,
	t.tid AS tid,
	COUNT(*) AS waits,
	round(SUM(w.dur) / 1000000.0, 3) AS waited_ms,
	round(SUM(w.idle_dur) / 1000000.0, 3) AS idle_ms,
	round(MAX(w.idle_dur) / 1000.0, 1) AS longest_us
FROM rwk_wasted w
JOIN task t ON t.utid = w.utid
WHERE w.class = 1
GROUP BY w.run_id, w.utid
ORDER BY SUM(w.idle_dur) DESC, w.run_id, w.utid
LIMIT coalesce(:top, 20);

-- section: The longest single ones
SELECT
	w.run_id AS run,
	w.id AS wakeup,
	t.name AS task,
	w.cpu AS cpu,
	round(w.dur / 1000.0, 1) AS waited_us,
	w.idle_cpu AS idle_cpu,
	CASE w.distance WHEN 1 THEN 'smt' WHEN 2 THEN 'llc' WHEN 3 THEN 'node' WHEN 4 THEN 'remote' END AS distance,
	round(w.idle_dur / 1000.0, 1) AS idle_us
FROM rwk_wasted w
JOIN task t ON t.utid = w.utid
WHERE w.class = 1
ORDER BY w.idle_dur DESC, w.id
LIMIT coalesce(:top, 20);

-- include: losses
