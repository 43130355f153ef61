INSERT INTO t_replay (run_id, policy_id, params, mode, kernel, summary_only, tool_version, verdicts, decisions, agree, interesting, interesting_agree, unanswered, with_unknown, violations)
VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0);
