-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times. ?6 its machine here.
INSERT INTO t_run (id, machine_id, file, format, release, clock, probe_mode, tool_version, first_ts, last_ts, trusted_from, trusted_to, nr_cpus, nr_lost, truncated, truncated_at, formats_from)
SELECT ?4, ?6, shown('trace', file), format, shown('release', release), clock, probe_mode, tool_version, first_ts - ?5, last_ts - ?5, trusted_from - ?5, trusted_to - ?5, nr_cpus, nr_lost, truncated, truncated_at, shown('trace', formats_from)
FROM source.t_run
WHERE id = ?1;
