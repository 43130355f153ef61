-- Machines of replays that were replaced.
DELETE FROM t_machine WHERE id NOT IN (SELECT machine_id FROM t_run UNION ALL SELECT machine_id FROM t_replay WHERE machine_id IS NOT NULL);
DELETE FROM t_machine_file WHERE machine_id NOT IN (SELECT id FROM t_machine);
DELETE FROM t_machine_cpu WHERE machine_id NOT IN (SELECT id FROM t_machine);
DELETE FROM t_machine_domain WHERE machine_id NOT IN (SELECT id FROM t_machine);
DELETE FROM t_machine_cache WHERE machine_id NOT IN (SELECT id FROM t_machine);
DELETE FROM t_machine_node WHERE machine_id NOT IN (SELECT id FROM t_machine);
DELETE FROM t_machine_setting WHERE machine_id NOT IN (SELECT id FROM t_machine);
