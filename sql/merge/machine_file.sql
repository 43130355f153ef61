-- ?1 machine in the source, ?2 its number here.
INSERT INTO t_machine_file (machine_id, path, content)
SELECT ?2, shown_path(path, content) AS shown_path, shown_content(path, content)
FROM source.t_machine_file
WHERE machine_id = ?1 AND shown_path IS NOT NULL
ORDER BY path;
