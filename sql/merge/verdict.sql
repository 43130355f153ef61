-- ?1 replay in the source, ?2 its number here.
INSERT INTO t_verdict (replay_id, wakeup_id, bits)
SELECT ?2, moved(wakeup_id), bits
FROM source.t_verdict
WHERE replay_id = ?1
ORDER BY wakeup_id;
