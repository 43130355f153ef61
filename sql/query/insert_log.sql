-- ?2: the file is made now rather than upgraded, and holds no date.
INSERT INTO t_log (version, at, tool_version)
VALUES (?1, CASE WHEN ?2 THEN NULL ELSE strftime('%Y-%m-%dT%H:%M:%SZ', 'now') END, ?3);
