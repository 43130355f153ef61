-- ?1 policy in the source, ?2 its number here.
INSERT INTO t_policy_reason (policy_id, kind, code, name)
SELECT ?2, kind, code, name
FROM source.t_policy_reason
WHERE policy_id = ?1
ORDER BY kind, code;
