-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_probe_llc (seq, pos, first_cpu, nr_idle_scan, has_idle_cores)
SELECT moved(seq), pos, first_cpu, nr_idle_scan, has_idle_cores
FROM source.t_probe_llc
WHERE seq BETWEEN ?2 AND ?3
ORDER BY seq, pos;
