-- What was recorded: the run and its machine.
SELECT
	r.run_id,
	r.file,
	r.format,
	r.release,
	r.clock,
	r.probe_mode,
	r.tool_version,
	r.first_ts,
	r.dur,
	r.trusted_from - r.first_ts AS trusted_from,
	r.trusted_to - r.first_ts AS trusted_to,
	r.nr_cpus,
	r.nr_events,
	r.nr_lost,
	r.nr_gaps,
	r.truncated,
	r.truncated_at,
	m.file AS machine_file,
	m.topology_known,
	m.smt_active,
	m.nr_cpu_ids,
	m.nr_llc,
	m.nr_nodes,
	(SELECT COUNT(*) FROM task t WHERE t.run_id = r.run_id AND t.idle_cpu IS NULL) AS nr_tasks,
	(SELECT coalesce(SUM(c.count), 0) FROM wakeup_count c WHERE c.run_id = r.run_id) AS nr_wakeups,
	(SELECT coalesce(SUM(c.count), 0) FROM wakeup_count c
		WHERE c.run_id = r.run_id AND c.kind = 'decision') AS nr_decisions,
	(SELECT SUM(e.count) FROM run_event e
		WHERE e.run_id = r.run_id AND e.event = 'rewake:sel') AS nr_probed,
	:bin AS bin_ns
FROM run r
JOIN machine m ON m.machine_id = r.machine_id
WHERE r.run_id = :run;
