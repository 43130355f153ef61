-- Copies the batch at hand.
INSERT INTO t_price (replay_id, wakeup_id, wait, kernel_wait, bits)
SELECT replay_id, wakeup_id, wait, kernel_wait, bits
FROM rwk_in_price;
