-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_run_cpu (run_id, cpu, observed, nr_events, entries, overrun, dropped, first_ts, last_ts, skew_ns, skew_low_ns, skew_high_ns)
SELECT ?4, cpu, observed, nr_events, entries, overrun, dropped, first_ts - ?5, last_ts - ?5, skew_ns, skew_low_ns, skew_high_ns
FROM source.t_run_cpu
WHERE run_id = ?1
ORDER BY cpu;
