-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_edge (waker_utid, wakee_utid, count, decisions, from_irq, sync, sync_known, d_same_cpu, d_smt, d_llc, d_node, d_remote, d_unknown, moved, nr_run, sum_run, max_run, mutual, waker_fanout)
SELECT moved(waker_utid), moved(wakee_utid), count, decisions, from_irq, sync, sync_known, d_same_cpu, d_smt, d_llc, d_node, d_remote, d_unknown, moved, nr_run, sum_run, max_run, mutual, waker_fanout
FROM source.t_edge
WHERE waker_utid BETWEEN ?2 AND ?3
ORDER BY waker_utid, wakee_utid;
