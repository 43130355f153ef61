-- Gaps in the events of run :run.
SELECT seq, cpu, from_ts, to_ts, count FROM loss WHERE run_id = :run ORDER BY seq
