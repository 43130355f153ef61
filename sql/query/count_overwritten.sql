-- CPUs of run ?1 whose first events were, or may have been, overwritten before they were read.
SELECT COUNT(*) FROM t_run_cpu WHERE run_id = ?1 AND observed AND COALESCE(overrun, 1) > 0;
