-- Copies the batch at hand.
INSERT INTO t_probe (seq, ret_dseq, wakeup_id, ts, ret_dur, cpu, utid, answer, prev_cpu, wake_flags, hidden, flips, recent_cpu, nr_cpus_allowed, last_wakee_tid)
SELECT seq, ret_dseq, wakeup_id, ts, ret_dur, cpu, utid, answer, prev_cpu, wake_flags, hidden, flips, recent_cpu, nr_cpus_allowed, last_wakee_tid
FROM rwk_in_probe;
