INSERT INTO t_replay (run_id, policy_id, params, mode, kernel, summary_only, tool_version, machine_id, verdicts, decisions, agree, interesting, interesting_agree, unanswered, with_unknown, violations, fork_decisions, fork_agree, fork_idle, fork_idle_agree, exec_decisions, exec_agree, exec_idle, exec_idle_agree)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
