INSERT INTO t_task (utid, tid, generation, idle_cpu, comm, first_ts, last_ts, prio, pcpu_kthread, allowed, seen, policy, cgroup, tgid)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);
