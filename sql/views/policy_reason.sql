CREATE VIEW policy_reason AS
-- Reasons and details that a policy can give.
SELECT
	policy_id AS policy_id, -- policy
	CASE kind WHEN 0 THEN 'reason' WHEN 1 THEN 'detail' END AS kind, -- reason or detail
	code AS code, -- its number
	name AS name -- its name, as in verdict
FROM t_policy_reason;
