-- Copies the batch at hand.
INSERT INTO t_nr (seq, ts, cpus, nr, change)
SELECT seq, ts, cpus, nr, change
FROM rwk_in_nr;
