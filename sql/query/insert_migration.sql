-- Copies the batch at hand.
INSERT INTO t_migration (id, seq, ts, cpus, by_utid, utid, wakeup_id, bits)
SELECT id, seq, ts, cpus, by_utid, utid, wakeup_id, bits
FROM rwk_in_migration;
