-- The policy here that has the texts and reasons of the source's policy ?1.
SELECT p.id
FROM t_policy p
JOIN source.t_policy s ON s.id = ?1
WHERE p.name IS s.name AND p.summary IS s.summary AND p.origin IS s.origin AND p.base IS s.base
	AND NOT EXISTS (
		SELECT kind, code, name FROM t_policy_reason WHERE policy_id = p.id
		EXCEPT SELECT kind, code, name FROM source.t_policy_reason WHERE policy_id = ?1)
	AND NOT EXISTS (
		SELECT kind, code, name FROM source.t_policy_reason WHERE policy_id = ?1
		EXCEPT SELECT kind, code, name FROM t_policy_reason WHERE policy_id = p.id)
ORDER BY p.id
LIMIT 1;
