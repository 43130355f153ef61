/* Of a sidecar, in the time of the imported events. */
#include "cli/epoch_rows.h"

#include <errno.h>
#include <stdlib.h>

int rwk_epoch_rows(const struct rwk_snapshot *snap, const struct rwk_machine *m,
	const struct rwk_decode_options *options, struct rwk_diag *diag, struct rwk_epoch **ret,
	size_t *ret_nr)
{
	rwk_ns ts_offset = options->ts_offset;
	struct rwk_epochs *e;
	struct rwk_epoch *rows = NULL;
	size_t nr = 0;
	int err = rwk_epochs_open(snap, m, diag, &e);

	if (err)
		return err;
	if (rwk_epochs_snapshot(e)) {
		nr = rwk_epochs_nr(e);
		rows = calloc(nr, sizeof(*rows));
		if (!rows)
			err = rwk_diag_push(diag, -ENOMEM, "cannot finish the run: out of memory");
	}
	for (size_t i = 0; !err && i < nr; i++) {
		rows[i] = *rwk_epochs_at(e, i);
		if (rows[i].from != RWK_NS_NONE && options->host_clock) {
			err = rwk_diag_push(diag, -ENOTSUP,
				"cannot use the host's clock: why=the sidecar tells when CPUs came "
				"and went, on the guest's clock; --ts-offset=0 leaves all on that");
			break;
		}
		/* As all times of the trace were. */
		if (rows[i].from != RWK_NS_NONE &&
			__builtin_add_overflow(rows[i].from, ts_offset, &rows[i].from))
			err = rwk_diag_push(diag, -ERANGE,
				"cannot shift times: ts_offset=%lld why=it leads out of what times "
				"there are",
				(long long)ts_offset);
	}
	rwk_epochs_close(e);
	*ret = rows;
	*ret_nr = err ? 0 : nr;
	return err;
}
