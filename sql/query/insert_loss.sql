-- Copies the batch at hand.
INSERT INTO t_loss (id, seq, cpu, from_ts, to_ts, count)
SELECT id, seq, cpu, from_ts, to_ts, count
FROM rwk_in_loss;
