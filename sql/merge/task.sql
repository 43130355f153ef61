-- ?1 run in the source, ?2 and ?3 the least and greatest id that is its, ?4 its number here, ?5 taken off times.
INSERT INTO t_task (utid, tid, generation, idle_cpu, comm, first_ts, last_ts, prio, pcpu_kthread, allowed, seen, policy, cgroup, tgid)
SELECT moved(utid), shown('tid', tid), generation, idle_cpu, shown('name', comm), first_ts - ?5, last_ts - ?5, prio, pcpu_kthread, allowed, seen, policy, shown('cgroup', cgroup), shown('tid', tgid)
FROM source.t_task
WHERE utid BETWEEN ?2 AND ?3
ORDER BY utid;
