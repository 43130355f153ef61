-- ?1 replay in the source, ?2 its number here.
INSERT INTO t_replay_price (replay_id, differ, priced, median_extra, sum_extra, worse, better, passed_idle, waker_slept)
SELECT ?2, differ, priced, median_extra, sum_extra, worse, better, passed_idle, waker_slept
FROM source.t_replay_price
WHERE replay_id = ?1;
