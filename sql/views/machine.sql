CREATE VIEW machine AS
-- The machine a run was recorded on, and machines that replays decided for instead.
SELECT
	id AS machine_id, -- machine number
	file, -- sidecar or directory it was read from, or recorded,EDITS; NULL: the trace alone
	release, -- kernel release as the snapshot has it
	kernel, -- version taken from the release
	topology_known, -- 0: which CPUs share what is unknown
	smt_active, -- 1: some core has several hardware threads online
	cluster_active, -- 1: some scheduling domain is an L2 cluster
	asym_capacity, -- 1: CPUs differ in capacity
	nr_cpu_ids, -- highest CPU id + 1
	nr_llc, -- last-level-cache domains
	nr_nodes -- NUMA nodes
FROM t_machine;
