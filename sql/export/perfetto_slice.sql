-- Slices of run :run in the order of its events.
SELECT id, seq, ts, dur, cpu, utid, prio, end_state, begin_unknown
FROM slice
-- The same as run_id = :run, but without reading other runs.
WHERE id >= (:run - 1) << 40 AND id < :run << 40
ORDER BY id
