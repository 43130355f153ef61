SELECT shown('cgroup', cgroup) FROM source.t_task ORDER BY utid;
