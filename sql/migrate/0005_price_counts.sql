-- What the prices of a replay come to, so that no report has to read them all.  They are counted
-- when a replay is committed; here, those of the replays that the file holds.
CREATE TABLE t_replay_price (
-- Prices of a replay's differing decisions; no row for a replay that kept no prices.
	replay_id INTEGER PRIMARY KEY, -- replay
	differ INTEGER NOT NULL, -- rows of t_price
	priced INTEGER NOT NULL, -- of them with a price on both sides
	median_extra INTEGER, -- median of the differences; of an even number the lower middle
	sum_extra INTEGER NOT NULL, -- sum of the differences
	worse INTEGER NOT NULL, -- differences above 0
	better INTEGER NOT NULL, -- differences below 0
	passed_idle INTEGER NOT NULL, -- of all: the policy's CPU was busy beside an idle one
	waker_slept INTEGER NOT NULL -- of all: the waker went to sleep within 200 us
);

CREATE TABLE t_replay_edge (
-- The same by who wakes whom.
	replay_id INTEGER NOT NULL, -- replay
	waker_utid INTEGER NOT NULL, -- waker; low 40 bits 0: unknown
	wakee_utid INTEGER NOT NULL, -- wakee; low 40 bits 0: unknown
	differ INTEGER NOT NULL, -- its rows of t_price
	priced INTEGER NOT NULL, -- of them with a price on both sides
	sum_extra INTEGER NOT NULL, -- sum of the differences
	worse INTEGER NOT NULL, -- differences above 0
	better INTEGER NOT NULL, -- differences below 0
	passed_idle INTEGER NOT NULL, -- of all: the policy's CPU was busy beside an idle one
	waker_slept INTEGER NOT NULL, -- of all: the waker went to sleep within 200 us
	PRIMARY KEY (replay_id, waker_utid, wakee_utid)
) WITHOUT ROWID;

INSERT INTO t_replay_edge
SELECT
	replay_id, waker_utid, wakee_utid, COUNT(*), COUNT(extra), coalesce(SUM(extra), 0),
	COUNT(CASE WHEN extra > 0 THEN 1 END), COUNT(CASE WHEN extra < 0 THEN 1 END),
	SUM(bits >> 6 & 1), SUM(bits >> 7 & 1)
FROM (
	SELECT
		x.replay_id, x.bits,
		coalesce(w.waker_utid, w.id >> 40 << 40) AS waker_utid,
		coalesce(w.wakee_utid, w.id >> 40 << 40) AS wakee_utid,
		CASE WHEN x.bits & 63 THEN
			CASE WHEN x.bits & 7 THEN x.wait ELSE r.idle_wait END
			- CASE WHEN x.bits >> 3 & 7 THEN x.kernel_wait ELSE r.idle_wait END
		ELSE 0 END AS extra
	FROM t_price x
	JOIN t_replay r ON r.id = x.replay_id
	JOIN t_wakeup w ON w.id = x.wakeup_id
)
GROUP BY replay_id, waker_utid, wakee_utid;

INSERT INTO t_replay_price
SELECT
	replay_id, SUM(differ), SUM(priced), NULL, SUM(sum_extra), SUM(worse), SUM(better),
	SUM(passed_idle), SUM(waker_slept)
FROM t_replay_edge
GROUP BY replay_id;

UPDATE t_replay_price
SET median_extra = m.extra
FROM (
	SELECT
		replay_id, extra,
		ROW_NUMBER() OVER (PARTITION BY replay_id ORDER BY extra) AS n,
		COUNT(*) OVER (PARTITION BY replay_id) AS of
	FROM (
		SELECT
			x.replay_id,
			CASE WHEN x.bits & 63 THEN
				CASE WHEN x.bits & 7 THEN x.wait ELSE r.idle_wait END
				- CASE WHEN x.bits >> 3 & 7 THEN x.kernel_wait ELSE r.idle_wait END
			ELSE 0 END AS extra
		FROM t_price x
		JOIN t_replay r ON r.id = x.replay_id
	)
	WHERE extra IS NOT NULL
) m
WHERE m.replay_id = t_replay_price.replay_id AND m.n = (m.of + 1) / 2;

-- what 9: kinds of price, the kernel's CPU and the policy's.
INSERT INTO t_replay_count (replay_id, what, kernel, policy, count)
SELECT replay_id, 9, bits >> 3 & 7, bits & 7, COUNT(*)
FROM t_price
GROUP BY replay_id, bits >> 3 & 7, bits & 7;
