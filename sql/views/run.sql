CREATE VIEW run AS
-- One row per imported trace.
SELECT
	r.id AS run_id, -- run number, from 1
	r.machine_id AS machine_id, -- its machine
	r.file AS file, -- trace file as given to import
	r.format AS format, -- format of that file
	r.release AS release, -- kernel release
	r.clock AS clock, -- trace clock; host:CLOCK: of the host of this guest
	r.probe_mode AS probe_mode, -- how much of recorded decisions was used: all, flags, nr, none
	r.tool_version AS tool_version, -- rewake that imported it
	r.first_ts AS first_ts, -- first event, ns of the trace's clock like every time here
	r.last_ts AS last_ts, -- last event
	r.last_ts - r.first_ts AS dur, -- time span
	r.trusted_from AS trusted_from, -- every CPU that has events is observed from here …; NULL: never
	r.trusted_to AS trusted_to, -- … to here
	r.nr_cpus AS nr_cpus, -- CPUs in the trace
	(SELECT SUM(e.count) FROM t_run_event e WHERE e.run_id = r.id) AS nr_events, -- events read
	r.nr_lost AS nr_lost, -- lost events; NULL: some gap has no number
	(SELECT COUNT(*) FROM t_loss l WHERE l.id >> 40 = r.id - 1) AS nr_gaps, -- gaps known, rows of loss
	r.truncated AS truncated, -- 1: the file ends early
	r.truncated_at AS truncated_at, -- offset where its readable part ends
	r.formats_from AS formats_from -- where event formats came from that the file lacks; NULL: it has its own
FROM t_run r;
