-- Copies the batch at hand.
INSERT INTO t_slice (id, seq, ts, dur, utid, bits, raw)
SELECT id, seq, ts, dur, utid, bits, raw
FROM rwk_in_slice;
