UPDATE t_replay
SET verdicts = ?2, decisions = ?3, agree = ?4, interesting = ?5, interesting_agree = ?6, unanswered = ?7, with_unknown = ?8, violations = ?9, fork_decisions = ?10, fork_agree = ?11, fork_idle = ?12, fork_idle_agree = ?13, exec_decisions = ?14, exec_agree = ?15, exec_idle = ?16, exec_idle_agree = ?17, idle_wait = ?18, idle_waits = ?19
WHERE id = ?1;
