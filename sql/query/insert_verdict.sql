-- Copies the batch at hand.
INSERT INTO t_verdict (replay_id, wakeup_id, bits)
SELECT replay_id, wakeup_id, bits
FROM rwk_in_verdict;
