-- What the kernel did with the wakeups from ?1 to ?2.
SELECT fetch(?3, id, cpus, bits) FROM t_wakeup WHERE id BETWEEN ?1 AND ?2 ORDER BY id;
