INSERT INTO t_edge (waker_utid, wakee_utid, count, decisions, from_irq, sync, sync_known, d_same_cpu, d_smt, d_llc, d_node, d_remote, d_unknown, moved, nr_run, sum_run, max_run, mutual, waker_fanout)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
