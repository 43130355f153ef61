-- ?1 policy in the source, ?2 its number here.
INSERT INTO t_policy (id, name, summary, origin, base)
SELECT ?2, name, summary, origin, base
FROM source.t_policy
WHERE id = ?1;
