-- Replays of run :run that have verdicts, each with a name that no other one has.
WITH named AS (
	SELECT
		replay_id,
		policy || CASE params WHEN '' THEN '' ELSE ',' || params END ||
			CASE mode WHEN 'open' THEN '' ELSE ' ' || mode END ||
			CASE machine WHEN 'recorded' THEN '' ELSE ' on ' || machine END AS label
	FROM replay
	WHERE run_id = :run AND NOT summary_only
)
SELECT replay_id, label || CASE WHEN COUNT(*) OVER (PARTITION BY label) > 1 THEN ' #' || replay_id ELSE '' END AS label
FROM named
ORDER BY replay_id
