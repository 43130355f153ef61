-- ?1 replay in the source, ?2 its number here.
INSERT INTO t_price (replay_id, wakeup_id, wait, kernel_wait, bits)
SELECT ?2, moved(wakeup_id), wait, kernel_wait, bits
FROM source.t_price
WHERE replay_id = ?1
ORDER BY wakeup_id;
