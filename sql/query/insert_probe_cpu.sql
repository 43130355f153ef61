-- Copies the batch at hand.
INSERT INTO t_probe_cpu (seq, cpu, nr_running, pending, curr_tid, load)
SELECT seq, cpu, nr_running, pending, curr_tid, load
FROM rwk_in_probe_cpu;
