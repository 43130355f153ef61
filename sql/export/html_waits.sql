-- Time from waking to first run of decisions: how many per class and power-of-two-sixteenth.  lo is the shortest wait of
-- its bin, which is lo / 16 wide rounded down to a power of two; NULL: the wait is not known.
WITH binned AS (
	SELECT
		waker_distance, prev_distance, moved, context, sync, run_dur,
		CASE
			WHEN run_dur < 16 THEN run_dur
			ELSE run_dur >> (CAST(log2(run_dur) AS INTEGER) - 4) << (CAST(log2(run_dur) AS INTEGER) - 4)
		END AS lo
	FROM decision
	WHERE run_id = :run
),
cube AS MATERIALIZED (
	SELECT
		waker_distance, prev_distance, moved, context, sync, lo,
		COUNT(*) AS count, SUM(run_dur) AS sum, MAX(run_dur) AS max
	FROM binned
	GROUP BY waker_distance, prev_distance, moved, context, sync, lo
),
faceted AS (
	SELECT 'all' AS facet, 'all' AS class, lo, count, sum, max FROM cube
	UNION ALL SELECT 'waker', waker_distance, lo, count, sum, max FROM cube
	UNION ALL SELECT 'prev', prev_distance, lo, count, sum, max FROM cube
	UNION ALL SELECT 'moved', CASE moved WHEN 1 THEN 'moved' WHEN 0 THEN 'stayed' END, lo, count, sum, max FROM cube
	UNION ALL SELECT 'context', context, lo, count, sum, max FROM cube
	UNION ALL SELECT 'sync', CASE sync WHEN 1 THEN 'sync' WHEN 0 THEN 'not sync' END, lo, count, sum, max FROM cube
)
SELECT facet, class, lo, SUM(count) AS count, SUM(sum) AS sum, MAX(max) AS max
FROM faceted
GROUP BY facet, class, lo
ORDER BY facet, class, lo;
