-- ?1 machine in the source, ?2 its number here.
-- Settings that are files have the file's path as their name.
INSERT INTO t_machine_setting (machine_id, name, value)
SELECT ?2, CASE WHEN name LIKE '%/%' THEN shown_path(name, value) ELSE name END AS shown_name,
	CASE WHEN name LIKE '%/%' THEN shown_content(name, value) ELSE value END
FROM source.t_machine_setting
WHERE machine_id = ?1 AND shown_name IS NOT NULL
ORDER BY name;
