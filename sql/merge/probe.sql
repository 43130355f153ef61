-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_probe (seq, ret_dseq, wakeup_id, ts, ret_dur, cpu, utid, answer, prev_cpu, wake_flags, hidden, flips, recent_cpu, nr_cpus_allowed, last_wakee_tid)
SELECT moved(seq), ret_dseq, moved(wakeup_id), ts - ?5, ret_dur, cpu, moved(utid), answer, prev_cpu, wake_flags, hidden, flips, recent_cpu, nr_cpus_allowed, shown('tid', last_wakee_tid)
FROM source.t_probe
WHERE seq BETWEEN ?2 AND ?3
ORDER BY seq;
