UPDATE t_replay
SET verdicts = ?2, decisions = ?3, agree = ?4, interesting = ?5, interesting_agree = ?6, unanswered = ?7, with_unknown = ?8, violations = ?9, idle_wait = ?10, idle_waits = ?11
WHERE id = ?1;
