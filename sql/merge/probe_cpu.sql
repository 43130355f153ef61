-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_probe_cpu (seq, cpu, nr_running, pending, curr_tid, load)
SELECT moved(seq), cpu, nr_running, pending, shown('tid', curr_tid), load
FROM source.t_probe_cpu
WHERE seq BETWEEN ?2 AND ?3
ORDER BY seq, cpu;
