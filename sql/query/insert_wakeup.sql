-- Copies the batch at hand.
INSERT INTO t_wakeup (id, seq, ts, cpus, waker_utid, wakee_utid, bits, wakeup_dseq, wakeup_dur, run_dur, probe_dseq)
SELECT id, seq, ts, cpus, waker_utid, wakee_utid, bits, wakeup_dseq, wakeup_dur, run_dur, probe_dseq
FROM rwk_in_wakeup;
