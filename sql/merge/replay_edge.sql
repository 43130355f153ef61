-- ?1 replay in the source, ?2 its number here.
INSERT INTO t_replay_edge (replay_id, waker_utid, wakee_utid, differ, priced, sum_extra, worse, better, passed_idle, waker_slept)
SELECT ?2, moved(waker_utid), moved(wakee_utid), differ, priced, sum_extra, worse, better, passed_idle, waker_slept
FROM source.t_replay_edge
WHERE replay_id = ?1
ORDER BY waker_utid, wakee_utid;
