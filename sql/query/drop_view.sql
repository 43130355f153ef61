-- The statement that drops the first view there is.
SELECT 'DROP VIEW "' || replace(name, '"', '""') || '"' FROM sqlite_schema WHERE type = 'view' LIMIT 1;
