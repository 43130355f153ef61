-- Rows of the run whose ids lie between ?1 and ?2, in the order of its events.
SELECT fetch(?3, seq, ret_dseq, wakeup_id, ts, ret_dur, cpu, utid, answer, prev_cpu, wake_flags, hidden, flips, recent_cpu, nr_cpus_allowed, last_wakee_tid)
FROM t_probe
WHERE seq > ?1 AND seq < ?2
ORDER BY seq;
