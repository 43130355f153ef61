CREATE VIEW policy AS
-- Policies that answered in some replay of this file.
SELECT
	id AS policy_id, -- policy number
	name, -- its name
	summary, -- what it does
	origin, -- who proposed it, when and where
	base -- what it changes, and what is interpretation
FROM t_policy;
