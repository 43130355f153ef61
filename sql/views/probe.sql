CREATE VIEW probe AS
-- One row per call of the placement function that a probe recorded.
SELECT
	seq & 0xffffffffff AS seq, -- number of the entry event
	(seq >> 40) + 1 AS run_id, -- run
	wakeup_id AS wakeup_id, -- wakeup; NULL: exec, or unpaired
	ts AS ts, -- entry
	ret_dur AS ret_dur, -- entry to return; NULL: return not seen
	(seq + ret_dseq) & 0xffffffffff AS ret_seq, -- number of the return event
	cpu AS cpu, -- CPU that called
	utid AS utid, -- task on it
	prev_cpu AS prev_cpu, -- previous CPU, the function's argument
	wake_flags AS wake_flags, -- wake flags, the function's argument
	answer AS answer, -- CPU returned
	flips AS flips, -- wakee_flips of the wakee; NULL not recorded, as below
	recent_cpu AS recent_cpu, -- its recent_used_cpu
	nr_cpus_allowed AS nr_cpus_allowed, -- its nr_cpus_allowed
	last_wakee_tid AS last_wakee_tid -- its last_wakee
FROM t_probe;
