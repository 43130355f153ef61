-- Width of the heat map's columns: the least 1, 2 or 5 times a power of ten with at most :cells cells and 600 columns.
WITH RECURSIVE power(ns) AS (
	SELECT 1000 UNION ALL SELECT ns * 10 FROM power WHERE ns < 1000000000000000000
),
width(ns) AS (
	SELECT ns FROM power UNION ALL SELECT 2 * ns FROM power UNION ALL SELECT 5 * ns FROM power
)
SELECT MIN(w.ns) AS bin_ns
FROM run r
JOIN width w ON coalesce(r.dur, 0) / w.ns + 1 <= MAX(20, MIN(600, :cells / MAX(r.nr_cpus, 1)))
WHERE r.run_id = :run;
