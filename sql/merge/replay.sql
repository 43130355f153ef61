-- ?1 replay in the source, ?2 its number here, ?3 its run, ?4 policy and ?5 machine here.
INSERT INTO t_replay (id, run_id, policy_id, params, mode, kernel, summary_only, tool_version, verdicts, decisions, agree, interesting, interesting_agree, unanswered, with_unknown, violations, idle_wait, idle_waits, fork_decisions, fork_agree, fork_idle, fork_idle_agree, exec_decisions, exec_agree, exec_idle, exec_idle_agree, machine_id)
SELECT ?2, ?3, ?4, params, mode, shown('kernel', kernel), summary_only, tool_version, verdicts, decisions, agree, interesting, interesting_agree, unanswered, with_unknown, violations, idle_wait, idle_waits, fork_decisions, fork_agree, fork_idle, fork_idle_agree, exec_decisions, exec_agree, exec_idle, exec_idle_agree, ?5
FROM source.t_replay
WHERE id = ?1;
