/* Cached ranges of t_wakeup. */
#include "store/placements.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/bits.h"

int rwk_placements_init(
	struct rwk_placements *p, struct rwk_db *db, int run_id, struct rwk_diag *diag)
{
	*p = (struct rwk_placements){.base = rwk_bits_run_base(run_id)};
	for (int i = 0; i < RWK_PLACEMENT_RANGES; i++)
		p->range[i] = -1;
	p->of = calloc((size_t)RWK_PLACEMENT_RANGES * RWK_PLACEMENT_RANGE, sizeof(*p->of));
	if (!p->of)
		return rwk_diag_push(diag, -ENOMEM, "cannot store verdicts: why=out of memory");
	return rwk_db_prepare(db, "select_placements", diag, &p->select);
}

void rwk_placements_finish(struct rwk_placements *p)
{
	sqlite3_finalize(p->select);
	free(p->of);
	*p = (struct rwk_placements){0};
}

static int load(
	struct rwk_placements *p, struct rwk_db *db, int64_t range, int slot, struct rwk_diag *diag)
{
	struct rwk_placement *of = p->of + (size_t)slot * RWK_PLACEMENT_RANGE;
	int64_t first = p->base + range * RWK_PLACEMENT_RANGE;
	struct rwk_bind b = rwk_bind_begin(p->select);
	int err;

	p->range[slot] = -1;
	memset(of, 0, RWK_PLACEMENT_RANGE * sizeof(*of));
	rwk_bind_int(&b, first);
	rwk_bind_int(&b, first + RWK_PLACEMENT_RANGE - 1);
	rwk_fetch_bind(&b, &p->row);
	while ((err = rwk_db_step(db, p->select, "read wakeups", diag)) == 1) {
		int64_t cpus = p->row.value[1], bits = p->row.value[2];

		of[p->row.value[0] - first] = (struct rwk_placement){
			.present = true,
			.kind = (uint8_t)rwk_bits_get(
				bits, RWK_BITS_WAKEUP_KIND, RWK_BITS_WAKEUP_KIND_WIDTH),
			.cpu = (int16_t)rwk_bits_get_cpu(cpus, RWK_BITS_WAKEUP_CPU),
			.prev_cpu = (int16_t)rwk_bits_get_cpu(cpus, RWK_BITS_WAKEUP_PREV_CPU),
			.target_cpu = (int16_t)rwk_bits_get_cpu(cpus, RWK_BITS_WAKEUP_TARGET_CPU),
		};
	}
	if (!err)
		p->range[slot] = range;
	return err;
}

int rwk_placements_get(struct rwk_placements *p, struct rwk_db *db, int64_t id,
	struct rwk_diag *diag, const struct rwk_placement **ret)
{
	int64_t range = id / RWK_PLACEMENT_RANGE;
	int slot = 0, err;

	while (slot < RWK_PLACEMENT_RANGES && p->range[slot] != range)
		slot++;
	if (slot == RWK_PLACEMENT_RANGES) {
		slot = p->next;
		p->next = (p->next + 1) % RWK_PLACEMENT_RANGES;
		err = load(p, db, range, slot, diag);
		if (err)
			return err;
	}
	*ret = &p->of[(size_t)slot * RWK_PLACEMENT_RANGE + (size_t)(id % RWK_PLACEMENT_RANGE)];
	return 0;
}
