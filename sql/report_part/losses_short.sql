-- How a report of narrow tables ends: the same, in short.

-- section: Losses and doubts
SELECT 'lost events' AS what, r.run_id AS run, coalesce(r.nr_lost, 'unknown') AS count, r.nr_gaps || ' gaps' AS note
FROM run r
WHERE r.nr_gaps
UNION ALL
SELECT 'CPUs not observed', run_id, COUNT(*), 'the first is CPU ' || MIN(cpu)
FROM run_cpu
WHERE NOT observed
GROUP BY run_id
UNION ALL
SELECT 'overwritten or dropped', run_id, SUM(coalesce(overrun, 0) + coalesce(dropped, 0)), 'on ' || COUNT(*) || ' CPUs'
FROM run_cpu
WHERE overrun > 0 OR dropped > 0
GROUP BY run_id
UNION ALL
SELECT 'truncated file', run_id, 1, 'readable up to ' || truncated_at FROM run WHERE truncated
UNION ALL
SELECT 'recorded in part only', r.run_id, 1, 'by a filter, see report losses'
FROM run r
JOIN machine_setting s ON s.machine_id = r.machine_id AND s.name = 'rewake/filter'
UNION ALL
SELECT 'CPUs came or went', e.run_id, COUNT(CASE WHEN e.active <> p.active THEN 1 END), 'see report losses'
FROM cpu_epoch e
JOIN cpu_epoch p ON p.run_id = e.run_id AND p.epoch = e.epoch - 1
GROUP BY e.run_id
UNION ALL
SELECT substr(name, 1, 32), run_id, count, 'see report losses' FROM anomaly;
