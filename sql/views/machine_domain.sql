CREATE VIEW machine_domain AS
-- Scheduling domains of each CPU.
SELECT
	machine_id, -- machine
	cpu, -- CPU
	level, -- 0 innermost
	name, -- SMT, CLS, MC, PKG or DIE, NUMA
	flags, -- names of the flags set that placement reads
	imbalance_pct, -- imbalance percentage
	span -- CPUs as a list
FROM t_machine_domain;
