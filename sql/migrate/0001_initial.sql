-- The first schema.  Raw tables (t_…) keep compact integers; nobody but rewake should read them:
-- the views are what is promised.
--
-- Ids of several runs live in one table: the run's number - 1 stands in the bits from 40 up, so
-- that the ids of the first run are plain numbers.  Enums, flags and small numbers of a row are
-- packed in one integer; src/store/bits.h has the same positions.  CPUs are packed as cpu + 1,
-- 0 for none, in 11 bits; priorities as prio + 1 in 8 bits.

-- "Rwk1", the same number as in src/store/db.h.
PRAGMA application_id = 1383557937;

CREATE TABLE t_log (
-- Who brought the file to which version of the schema.
	version INTEGER PRIMARY KEY, -- number of migrations applied afterwards
	at TEXT, -- UTC time of an upgrade; NULL when the file was made with it, so that equal input gives equal bytes
	tool_version TEXT NOT NULL -- rewake that did it
);

CREATE TABLE t_machine (
-- The machine a run was recorded on.
	id INTEGER PRIMARY KEY, -- machine number
	file TEXT, -- sidecar or directory it was read from; NULL: the trace alone
	release TEXT, -- kernel release as the snapshot has it
	kernel TEXT, -- version taken from the release, "6.1.192"
	topology_known INTEGER NOT NULL, -- 0: which CPUs share what is unknown
	smt_active INTEGER, -- some core has several hardware threads online
	cluster_active INTEGER, -- some scheduling domain is an L2 cluster
	asym_capacity INTEGER, -- CPUs differ in capacity
	nr_cpu_ids INTEGER NOT NULL, -- highest CPU id + 1
	nr_llc INTEGER, -- last-level-cache domains
	nr_nodes INTEGER -- NUMA nodes
);

CREATE TABLE t_machine_file (
-- The snapshot itself, file by file: a newer reader can find more in it.
	machine_id INTEGER NOT NULL, -- machine
	path TEXT NOT NULL, -- path below the root, without a leading slash
	content TEXT, -- what it held; NULL: looked for and absent
	PRIMARY KEY (machine_id, path)
) WITHOUT ROWID;

CREATE TABLE t_machine_cpu (
-- What each CPU shares with others.
	machine_id INTEGER NOT NULL, -- machine
	cpu INTEGER NOT NULL, -- CPU
	online INTEGER NOT NULL, -- 1: online when the snapshot was taken
	core INTEGER, -- lowest CPU of its core; NULL unknown, here and below
	cluster INTEGER, -- lowest CPU of its L2 cluster
	llc INTEGER, -- lowest CPU of its last-level-cache domain
	node INTEGER, -- NUMA node
	package INTEGER, -- physical package
	capacity INTEGER, -- cpu_capacity, 1024 for a full CPU
	PRIMARY KEY (machine_id, cpu)
) WITHOUT ROWID;

CREATE TABLE t_machine_domain (
-- Scheduling domains of each CPU.
	machine_id INTEGER NOT NULL, -- machine
	cpu INTEGER NOT NULL, -- CPU
	level INTEGER NOT NULL, -- 0 innermost
	name TEXT NOT NULL, -- SMT, CLS, MC, PKG or DIE, NUMA
	flags TEXT NOT NULL, -- names of set flags, separated by blanks
	imbalance_pct INTEGER, -- imbalance percentage
	span TEXT NOT NULL, -- CPUs as a list, "0-3,8"
	PRIMARY KEY (machine_id, cpu, level)
) WITHOUT ROWID;

CREATE TABLE t_machine_cache (
-- Caches, and the cache domains that the scheduler derives from them.
	machine_id INTEGER NOT NULL, -- machine
	cache INTEGER NOT NULL, -- number within the machine
	level INTEGER, -- 1, 2, 3…; NULL for a scheduler's last-level-cache domain
	type TEXT NOT NULL, -- Data, Instruction, Unified; "llc domain"
	size TEXT, -- as the kernel prints it, "32K"
	first_cpu INTEGER NOT NULL, -- lowest CPU
	nr_cpus INTEGER NOT NULL, -- CPUs that share it
	cpus TEXT NOT NULL, -- the same as a list
	PRIMARY KEY (machine_id, cache)
) WITHOUT ROWID;

CREATE TABLE t_machine_node (
-- NUMA nodes.
	machine_id INTEGER NOT NULL, -- machine
	node INTEGER NOT NULL, -- node
	cpus TEXT NOT NULL, -- its CPUs as a list
	distances TEXT, -- to node 0, 1, …, separated by blanks
	PRIMARY KEY (machine_id, node)
) WITHOUT ROWID;

CREATE TABLE t_machine_setting (
-- Scheduler features, tunables and what else decides about placement.
	machine_id INTEGER NOT NULL, -- machine
	name TEXT NOT NULL, -- "feature WA_IDLE", "hz", or the path of a file
	value TEXT NOT NULL, -- on, off, a number, or the file's text without the last newline
	PRIMARY KEY (machine_id, name)
) WITHOUT ROWID;

CREATE TABLE t_run (
-- One imported trace.
	id INTEGER PRIMARY KEY, -- run number, from 1
	machine_id INTEGER NOT NULL, -- its machine
	file TEXT NOT NULL, -- trace file as given
	format TEXT, -- its format
	release TEXT, -- kernel release
	clock TEXT, -- trace clock
	probe_mode TEXT, -- how much of recorded decisions was used: all, flags, none
	tool_version TEXT NOT NULL, -- rewake that imported it
	first_ts INTEGER, -- first event
	last_ts INTEGER, -- last event
	trusted_from INTEGER, -- every CPU is observed from here …
	trusted_to INTEGER, -- … to here
	nr_cpus INTEGER NOT NULL, -- CPUs in the trace
	nr_lost INTEGER, -- lost events; NULL: some gap has no number
	truncated INTEGER NOT NULL, -- 1: the file ends early
	truncated_at INTEGER -- offset where its readable part ends
);

CREATE TABLE t_run_event (
-- How many events of each kind the trace held.
	run_id INTEGER NOT NULL, -- run
	kind INTEGER NOT NULL, -- enum rwk_event_kind
	event TEXT NOT NULL, -- its name
	count INTEGER NOT NULL, -- events
	PRIMARY KEY (run_id, kind)
) WITHOUT ROWID;

CREATE TABLE t_run_cpu (
-- What was recorded on each CPU.
	run_id INTEGER NOT NULL, -- run
	cpu INTEGER NOT NULL, -- CPU
	observed INTEGER NOT NULL, -- 0: not a single event
	nr_events INTEGER, -- events read
	entries INTEGER, -- events by the recorder's own count
	overrun INTEGER, -- overwritten before they were read
	dropped INTEGER, -- not written for want of room
	first_ts INTEGER, -- first event
	last_ts INTEGER, -- last event
	PRIMARY KEY (run_id, cpu)
) WITHOUT ROWID;

CREATE TABLE t_task (
-- Thread: a tid until its task ends; the next one with that tid is another row.
	utid INTEGER PRIMARY KEY, -- identity within the file
	tid INTEGER NOT NULL, -- kernel's thread id, 0 for idle tasks
	generation INTEGER NOT NULL, -- 0 for the first task with that tid
	idle_cpu INTEGER, -- CPU of an idle task
	comm TEXT, -- latest name, any bytes; NULL unknown
	first_ts INTEGER, -- first event that names it
	last_ts INTEGER, -- last event that names it
	prio INTEGER, -- latest priority
	pcpu_kthread INTEGER NOT NULL, -- 1: kernel thread bound to one CPU
	allowed TEXT, -- affinity as a CPU list
	seen TEXT NOT NULL, -- CPUs on which it was seen
	policy INTEGER, -- SCHED_*
	cgroup TEXT -- control group
);

CREATE TABLE t_slice (
-- Task on a CPU.
	id INTEGER PRIMARY KEY, -- in order of start
	seq INTEGER NOT NULL, -- number of the event that started it
	ts INTEGER NOT NULL, -- start
	dur INTEGER, -- NULL: still running at the end
	utid INTEGER, -- task
	bits INTEGER NOT NULL, -- cpu 0-10, prio 11-18, end_state 19-22, begin_unknown 23, cut 24
	raw INTEGER NOT NULL -- end state's number in the trace
);

CREATE TABLE t_wakeup (
-- Waking of a task, whether or not a CPU was chosen.
	id INTEGER PRIMARY KEY, -- in order of time
	seq INTEGER NOT NULL, -- number of the sched_waking or sched_wakeup_new event
	ts INTEGER NOT NULL, -- its time
	cpus INTEGER NOT NULL, -- cpu 0-10, prev_cpu 11-21, target_cpu 22-32, wakeup_cpu 33-43, run_cpu 44-54
	waker_utid INTEGER, -- task on the waking CPU
	wakee_utid INTEGER, -- task woken
	bits INTEGER NOT NULL, -- kind 0-3, kind_source 4-6, context 7-9, sync 10, sync_source 11-13, target_source 14-16, censor 17-19, prio 20-27, waker_exiting 28
	wakeup_dseq INTEGER, -- number of its sched_wakeup - seq; NULL: none seen
	wakeup_dur INTEGER, -- waking to sched_wakeup
	run_dur INTEGER, -- waking to first run
	probe_dseq INTEGER -- number of its probe's entry - seq; NULL: not probed
);

CREATE TABLE t_probe (
-- Call of the placement function as a probe recorded it.
	seq INTEGER PRIMARY KEY, -- number of the entry event
	ret_dseq INTEGER, -- number of the return event - seq; NULL: return not seen
	wakeup_id INTEGER, -- wakeup; NULL: exec, or unpaired
	ts INTEGER NOT NULL, -- entry
	ret_dur INTEGER, -- entry to return
	cpu INTEGER NOT NULL, -- CPU that called
	utid INTEGER, -- task on it
	answer INTEGER, -- CPU returned
	prev_cpu INTEGER NOT NULL, -- previous CPU, the function's argument
	wake_flags INTEGER NOT NULL, -- wake flags argument
	hidden INTEGER NOT NULL, -- 1: the recorder fetched the four values below
	flips INTEGER, -- wakee_flips of the wakee
	recent_cpu INTEGER, -- its recent_used_cpu
	nr_cpus_allowed INTEGER, -- its nr_cpus_allowed
	last_wakee_tid INTEGER -- its last_wakee
);

CREATE TABLE t_probe_llc (
-- State of a cache domain at the entry of a probed call.
	seq INTEGER NOT NULL, -- number of the entry event
	pos INTEGER NOT NULL, -- order of the probe's fields
	first_cpu INTEGER NOT NULL, -- names the domain
	nr_idle_scan INTEGER NOT NULL, -- CPUs that a search may look at
	has_idle_cores INTEGER NOT NULL, -- the hint, as stored
	PRIMARY KEY (seq, pos)
) WITHOUT ROWID;

CREATE TABLE t_migration (
-- Task moved to another CPU.
	id INTEGER PRIMARY KEY, -- in order of time
	seq INTEGER NOT NULL, -- number of the event
	ts INTEGER NOT NULL, -- time
	cpus INTEGER NOT NULL, -- cpu 0-10, orig_cpu 11-21, dest_cpu 22-32
	by_utid INTEGER, -- task on the CPU that moved it
	utid INTEGER, -- task moved
	wakeup_id INTEGER, -- wakeup it is part of; NULL: balancer, affinity, exec
	bits INTEGER NOT NULL -- prio 0-7, synthetic 8
);

CREATE TABLE t_orphan (
-- sched_wakeup that no sched_waking explains.
	seq INTEGER PRIMARY KEY, -- number of the event
	ts INTEGER NOT NULL, -- time
	utid INTEGER, -- task woken
	bits INTEGER NOT NULL -- cpu 0-10, target_cpu 11-21, prio 22-29
);

CREATE TABLE t_loss (
-- Gap in the events of a CPU.
	id INTEGER PRIMARY KEY, -- gap
	seq INTEGER NOT NULL, -- number of the event that told of it
	cpu INTEGER, -- CPU
	from_ts INTEGER, -- last event before; NULL: before the first one
	to_ts INTEGER NOT NULL, -- first event after
	count INTEGER -- events lost; NULL unknown
);

CREATE TABLE t_anomaly (
-- What was impossible, dropped, clamped or guessed.
	run_id INTEGER NOT NULL, -- run
	kind INTEGER NOT NULL, -- enum rwk_anomaly_kind
	name TEXT NOT NULL, -- its name
	help TEXT NOT NULL, -- what it means
	count INTEGER NOT NULL, -- how often
	first_ts INTEGER, -- first place: time
	first_cpu INTEGER, -- CPU
	first_offset INTEGER, -- offset in the file
	PRIMARY KEY (run_id, kind)
) WITHOUT ROWID;

CREATE TABLE t_edge (
-- Who wakes whom.
	waker_utid INTEGER NOT NULL, -- waker; low 40 bits 0: unknown
	wakee_utid INTEGER NOT NULL, -- wakee; low 40 bits 0: unknown
	count INTEGER NOT NULL, -- wakings of every kind
	decisions INTEGER NOT NULL, -- of them decisions
	from_irq INTEGER NOT NULL, -- of them in interrupt context
	sync INTEGER NOT NULL, -- of them with the sync flag
	sync_known INTEGER NOT NULL, -- of them where the flag is known
	d_same_cpu INTEGER NOT NULL, -- decisions by distance from waker to target: same CPU
	d_smt INTEGER NOT NULL, -- same core
	d_llc INTEGER NOT NULL, -- same last-level cache
	d_node INTEGER NOT NULL, -- same node
	d_remote INTEGER NOT NULL, -- other node
	d_unknown INTEGER NOT NULL, -- unknown
	moved INTEGER NOT NULL, -- decisions away from the previous CPU
	nr_run INTEGER NOT NULL, -- wakings with a known time to first run
	sum_run INTEGER NOT NULL, -- sum of these times
	max_run INTEGER NOT NULL, -- longest of them
	mutual INTEGER NOT NULL, -- 1: the wakee also wakes the waker
	waker_fanout INTEGER NOT NULL, -- tasks that the waker wakes
	PRIMARY KEY (waker_utid, wakee_utid)
) WITHOUT ROWID;

CREATE TABLE t_wakeup_count (
-- Wakeups by what is known of them, counted while they were stored.
	run_id INTEGER NOT NULL, -- run
	bits INTEGER NOT NULL, -- kind 0-3, kind_source 4-6, sync_source 7-9, target_source 10-12, censor 13-15
	count INTEGER NOT NULL, -- wakeups
	PRIMARY KEY (run_id, bits)
) WITHOUT ROWID;

CREATE TABLE t_policy (
-- Policy that answered in some replay of this file.
	id INTEGER PRIMARY KEY, -- policy number
	name TEXT NOT NULL, -- its name
	summary TEXT, -- what it does
	origin TEXT, -- who proposed it, when and where
	base TEXT -- what it changes, and what is interpretation
);

CREATE TABLE t_policy_reason (
-- Names of a policy's reasons and details.
	policy_id INTEGER NOT NULL, -- policy
	kind INTEGER NOT NULL, -- 0 reason, 1 detail
	code INTEGER NOT NULL, -- its number
	name TEXT NOT NULL, -- its name
	PRIMARY KEY (policy_id, kind, code)
) WITHOUT ROWID;

CREATE TABLE t_replay (
-- One pass of a policy over the wakeups of a run.
	id INTEGER PRIMARY KEY, -- replay number
	run_id INTEGER NOT NULL, -- run
	policy_id INTEGER NOT NULL, -- policy
	params TEXT NOT NULL, -- parameters as given, "" none
	mode TEXT NOT NULL, -- open, calibrated
	kernel TEXT NOT NULL, -- policy that the recorded kernel was taken to run
	summary_only INTEGER NOT NULL, -- 1: counts only, no verdict rows
	tool_version TEXT NOT NULL, -- rewake that replayed
	verdicts INTEGER NOT NULL, -- answers of every kind
	decisions INTEGER NOT NULL, -- of decisions whose outcome in the kernel is known
	agree INTEGER NOT NULL, -- of these, same CPU as the kernel
	interesting INTEGER NOT NULL, -- decisions that were not trivial
	interesting_agree INTEGER NOT NULL, -- of these, same CPU as the kernel
	unanswered INTEGER NOT NULL, -- decisions without an answer
	with_unknown INTEGER NOT NULL, -- decisions that needed an unknown input
	violations INTEGER NOT NULL, -- answers that were not an allowed CPU
	idle_wait INTEGER, -- what an idle CPU costs: median time from waking to first run where the kernel chose an idle CPU other than the waker's
	idle_waits INTEGER NOT NULL DEFAULT 0, -- decisions that this median is of
	fork_decisions INTEGER NOT NULL, -- CPUs chosen for new tasks, apart from decisions
	fork_agree INTEGER NOT NULL, -- of these, same CPU as the kernel
	fork_idle INTEGER NOT NULL, -- of fork_decisions, the kernel took an idle CPU
	fork_idle_agree INTEGER NOT NULL, -- of these, the policy took an idle CPU too
	exec_decisions INTEGER NOT NULL, -- CPUs chosen at exec, apart from decisions; no row of t_verdict
	exec_agree INTEGER NOT NULL, -- of these, same CPU as the kernel
	exec_idle INTEGER NOT NULL, -- of exec_decisions, the kernel took an idle CPU
	exec_idle_agree INTEGER NOT NULL -- of these, the policy took an idle CPU too
);

CREATE TABLE t_replay_count (
-- Decisions of a replay by some property, counted while the verdicts were stored.
	replay_id INTEGER NOT NULL, -- replay
	what INTEGER NOT NULL, -- 0 place, 1 distance to waker, 2 distance to previous CPU (differing decisions); 3 unknown input; 4 reason, 5 provenance, 6 history; 7 misses by hidden value; 8 races
	kernel INTEGER NOT NULL, -- value of the kernel's answer; for 3 always 0; for 4 to 6: 1 agrees + 2 interesting; for 7 and 8 always 0
	policy INTEGER NOT NULL, -- value of the policy's answer; for 3 enum rwk_input; for 4 reason code; for 5 enum rwk_provenance * 8 + enum rwk_source, 6 enum rwk_history, 7 enum rwk_hidden, 8 enum rwk_race
	count INTEGER NOT NULL, -- decisions
	PRIMARY KEY (replay_id, what, kernel, policy)
) WITHOUT ROWID;

CREATE TABLE t_verdict (
-- Answer of a policy to a wakeup.
	replay_id INTEGER NOT NULL, -- replay
	wakeup_id INTEGER NOT NULL, -- wakeup
	bits INTEGER NOT NULL, -- cpu 0-10, agrees 11, comparable 12, interesting 13, violation 14, reason 15-22, detail 23-30, unknown 31-62
	PRIMARY KEY (replay_id, wakeup_id)
) WITHOUT ROWID;

CREATE TABLE t_price (
-- What a policy's CPU would have cost where it is not the kernel's.
	replay_id INTEGER NOT NULL, -- replay
	wakeup_id INTEGER NOT NULL, -- wakeup
	wait INTEGER, -- time until the task on the policy's CPU left; NULL: see its kind
	kernel_wait INTEGER, -- the same on the kernel's CPU
	bits INTEGER NOT NULL, -- kind 0-2, kernel_kind 3-5, passed_idle 6, waker_slept 7, hidden + 1 8-10
	PRIMARY KEY (replay_id, wakeup_id)
) WITHOUT ROWID;
