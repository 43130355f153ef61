-- Run ?2 to side ?1, if there is such a run; NULL: all runs.
INSERT OR IGNORE INTO side
SELECT 'A', run_id FROM a.run WHERE ?1 = 'A' AND run_id = coalesce(?2, run_id)
UNION ALL
SELECT 'B', run_id FROM b.run WHERE ?1 = 'B' AND run_id = coalesce(?2, run_id);
