-- Every thread id outside of texts.
SELECT tid FROM source.t_task
UNION SELECT tgid FROM source.t_task WHERE tgid IS NOT NULL
UNION SELECT last_wakee_tid FROM source.t_probe WHERE last_wakee_tid IS NOT NULL
UNION SELECT curr_tid FROM source.t_probe_cpu;
