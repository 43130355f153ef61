-- An earlier replay of run ?1 by policy ?2 with parameters ?3 in mode ?4 under kernel ?5 for machine ?6.
SELECT r.id
FROM t_replay r
JOIN t_policy p ON p.id = r.policy_id
LEFT JOIN t_machine m ON m.id = r.machine_id
WHERE r.run_id = ?1 AND p.name = ?2 AND r.params = ?3 AND r.mode = ?4 AND r.kernel = ?5 AND m.file IS ?6;
