-- Rows of the run whose ids lie between ?1 and ?2, in the order of its events.
SELECT fetch(?3, id, seq, ts, cpus, waker_utid, wakee_utid, bits, wakeup_dseq, wakeup_dur, run_dur, probe_dseq)
FROM t_wakeup
WHERE id > ?1 AND id < ?2
ORDER BY id;
