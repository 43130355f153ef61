/* Removing, with the patience that takes. */
#include "record/synthetic.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

#include <tracefs.h>

#define TRIES    50
#define PAUSE_NS 20000000

int rwk_synthetic_destroy(struct tracefs_dynevent *event)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	int err = 0;

	/* Busy for a moment after it was switched off, or its user killed. */
	for (int i = 0; i < TRIES; i++) {
		errno = 0;
		if (!tracefs_dynevent_destroy(event, true))
			return 0;
		err = errno ? -errno : -EIO;
		if (err != -EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	return err;
}
