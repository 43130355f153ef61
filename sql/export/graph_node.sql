-- Nodes of the waker graph of run :run that are tasks: one per name, or per task if :by_task or
-- where the name is unknown.  Idle tasks are no tasks here; see graph_edge.sql.
SELECT
	CASE WHEN :by_task OR name IS NULL THEN utid ELSE MIN(utid) END AS node,
	name,
	MIN(tid) AS tid,
	COUNT(*) AS tasks,
	MIN(pcpu_kthread) AS pcpu_kthread
FROM task
WHERE run_id = :run AND idle_cpu IS NULL
GROUP BY CASE WHEN :by_task OR name IS NULL THEN utid END, name
ORDER BY node
