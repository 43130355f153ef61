-- Tasks with ids between ?1 and ?2.
SELECT utid, tid, generation, idle_cpu, comm, first_ts, last_ts, prio, pcpu_kthread, allowed, seen, policy, cgroup, tgid
FROM t_task
WHERE utid > ?1 AND utid < ?2
ORDER BY utid;
