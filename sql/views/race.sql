CREATE VIEW race AS
-- Misses of probed decisions beside which some CPU of the cache domain became idle or busy; open mode only.
SELECT
	c.replay_id AS replay_id, -- replay
	SUM(CASE c.policy WHEN 0 THEN c.count ELSE 0 END) AS misses, -- misses with a probe
	SUM(CASE c.policy WHEN 1 THEN c.count ELSE 0 END) AS in_call, -- of them with a change between entry and return
	SUM(CASE c.policy WHEN 2 THEN c.count ELSE 0 END) AS near_entry, -- within 5 us before or after the entry
	SUM(CASE c.policy WHEN 3 THEN c.count ELSE 0 END) AS candidates -- either
FROM t_replay_count c
WHERE c.what = 8
GROUP BY c.replay_id;
