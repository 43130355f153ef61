-- How much longer or shorter the wait on a policy's CPU would have been: decisions per power-of-two quarter.  lo is the
-- bin's end nearer to zero, below zero where the policy's CPU is the better one.
WITH binned AS (
	SELECT
		replay_id,
		CASE WHEN extra_dur < 0 THEN -1 ELSE 1 END AS sign,
		CASE
			WHEN abs(extra_dur) < 4 THEN abs(extra_dur)
			ELSE abs(extra_dur) >> (CAST(log2(abs(extra_dur)) AS INTEGER) - 2)
				<< (CAST(log2(abs(extra_dur)) AS INTEGER) - 2)
		END AS size
	FROM price
	WHERE run_id = :run AND extra_dur IS NOT NULL
)
SELECT replay_id AS replay, sign * size AS lo, COUNT(*) AS count
FROM binned
GROUP BY replay_id, lo
ORDER BY replay_id, lo;
