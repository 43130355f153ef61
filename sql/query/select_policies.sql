-- Policies as which ?1, ?2, ?3, ?4 was stored before; their reasons can differ.
SELECT id FROM t_policy WHERE name = ?1 AND summary IS ?2 AND origin IS ?3 AND base IS ?4 ORDER BY id;
