-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_wakeup (id, seq, ts, cpus, waker_utid, wakee_utid, bits, wakeup_dseq, wakeup_dur, run_dur, probe_dseq)
SELECT moved(id), moved(seq), ts - ?5, cpus, moved(waker_utid), moved(wakee_utid), bits, wakeup_dseq, wakeup_dur, run_dur, probe_dseq
FROM source.t_wakeup
WHERE id BETWEEN ?2 AND ?3
ORDER BY id;
