CREATE VIEW probe_llc AS
-- State of a cache domain at the entry of a probed call.
SELECT
	(seq >> 40) + 1 AS run_id, -- run
	seq & 0xffffffffff AS seq, -- number of the entry event, as in probe
	pos AS pos, -- order of the probe's fields
	first_cpu AS first_cpu, -- lowest CPU of the domain
	nr_idle_scan AS nr_idle_scan, -- CPUs that a search may look at
	has_idle_cores AS has_idle_cores -- the hint, as stored
FROM t_probe_llc;
