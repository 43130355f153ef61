CREATE VIEW cpu_epoch AS
-- Which CPUs were there when, of runs while which some came or went; no row for others.
SELECT
	e.run_id AS run_id, -- run
	e.epoch AS epoch, -- number in order of time, from 0
	e.from_ts AS from_ts, -- when it begins; NULL: with the run
	n.from_ts AS to_ts, -- when the next one does; NULL: with the run's end
	e.changing AS changing, -- 1: a change was on its way, exactly when it took effect is not known
	e.rebuilt AS rebuilt, -- 1: it begins with other scheduling domains, or none, than the one before
	e.online AS online, -- CPUs that are hardware threads of their cores, as a list
	e.active AS active, -- of them those that tasks may be put on
	e.domains AS domains -- CPUs that scheduling domains were built of; empty: the domains were taken down
FROM t_cpu_epoch e
LEFT JOIN t_cpu_epoch n ON n.run_id = e.run_id AND n.epoch = e.epoch + 1;
