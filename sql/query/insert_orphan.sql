-- Copies the batch at hand.
INSERT INTO t_orphan (seq, ts, utid, bits)
SELECT seq, ts, utid, bits
FROM rwk_in_orphan;
