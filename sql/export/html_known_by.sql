-- Agreement by how hidden values of a decision were known.
SELECT c.replay_id AS replay, c.what, c.class, c.decisions, c.agree, c.interesting, c.interesting_agree
FROM agreement_by c
JOIN replay r ON r.replay_id = c.replay_id
WHERE r.run_id = :run
ORDER BY c.replay_id, c.what, c.pos;
