-- Copies the batch at hand.
INSERT INTO t_probe_llc (seq, pos, first_cpu, nr_idle_scan, has_idle_cores)
SELECT seq, pos, first_cpu, nr_idle_scan, has_idle_cores
FROM rwk_in_probe_llc;
