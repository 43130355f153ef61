-- What the waker graph of run :run is headed by.
SELECT file, nr_gaps, nr_lost, truncated FROM run WHERE run_id = :run
