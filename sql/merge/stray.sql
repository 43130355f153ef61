-- Whether something belongs to a run that there is not.
SELECT
	EXISTS (SELECT 1 FROM source.t_run_event WHERE run_id NOT IN (SELECT id FROM source.t_run))
	OR EXISTS (SELECT 1 FROM source.t_run_cpu WHERE run_id NOT IN (SELECT id FROM source.t_run))
	OR EXISTS (SELECT 1 FROM source.t_anomaly WHERE run_id NOT IN (SELECT id FROM source.t_run))
	OR EXISTS (SELECT 1 FROM source.t_wakeup_count WHERE run_id NOT IN (SELECT id FROM source.t_run))
	OR EXISTS (SELECT 1 FROM source.t_replay WHERE run_id NOT IN (SELECT id FROM source.t_run));
