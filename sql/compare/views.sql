-- The rows of both sides under one name each, and how long decisions waited, counted by time.
CREATE TEMP VIEW side_run AS
SELECT 'A' AS side, x.* FROM a.run x JOIN side s ON s.side = 'A' AND s.run_id = x.run_id
UNION ALL
SELECT 'B' AS side, x.* FROM b.run x JOIN side s ON s.side = 'B' AND s.run_id = x.run_id;
CREATE TEMP VIEW side_edge AS
SELECT 'A' AS side, x.* FROM a.edge x JOIN side s ON s.side = 'A' AND s.run_id = x.run_id
UNION ALL
SELECT 'B' AS side, x.* FROM b.edge x JOIN side s ON s.side = 'B' AND s.run_id = x.run_id;
CREATE TEMP VIEW side_kind AS
SELECT 'A' AS side, x.* FROM a.wakeup_count x JOIN side s ON s.side = 'A' AND s.run_id = x.run_id
UNION ALL
SELECT 'B' AS side, x.* FROM b.wakeup_count x JOIN side s ON s.side = 'B' AND s.run_id = x.run_id;
CREATE TEMP VIEW side_agreement AS
SELECT 'A' AS side, x.* FROM a.agreement x JOIN side s ON s.side = 'A' AND s.run_id = x.run_id
UNION ALL
SELECT 'B' AS side, x.* FROM b.agreement x JOIN side s ON s.side = 'B' AND s.run_id = x.run_id;
CREATE TEMP VIEW side_anomaly AS
SELECT 'A' AS side, x.* FROM a.anomaly x JOIN side s ON s.side = 'A' AND s.run_id = x.run_id
UNION ALL
SELECT 'B' AS side, x.* FROM b.anomaly x JOIN side s ON s.side = 'B' AND s.run_id = x.run_id;
CREATE TEMP VIEW side_machine AS
SELECT 'A' AS side, m.* FROM a.machine m
UNION ALL
SELECT 'B' AS side, m.* FROM b.machine m;
CREATE TEMP TABLE delay AS
SELECT side, run_id, dur, COUNT(*) AS n
FROM (
	SELECT 'A' AS side, w.run_id, w.run_dur AS dur
	FROM a.wakeup w
	JOIN side s ON s.side = 'A' AND s.run_id = w.run_id
	WHERE w.kind = 'decision'
	UNION ALL
	SELECT 'B', w.run_id, w.run_dur
	FROM b.wakeup w
	JOIN side s ON s.side = 'B' AND s.run_id = w.run_id
	WHERE w.kind = 'decision'
)
GROUP BY side, run_id, dur;
