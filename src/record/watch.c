/* One loop that sleeps most of the time. */
#include "record/watch.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS  INT64_C(1000000)
#define TICK_MS    100 /* how late a stop can be noticed */
#define SAMPLE_NS  (1000 * NS_PER_MS)
#define HEAD_BYTES (128 << 10) /* of a trace, beside the pages: formats, names */
#define LEAST_ROOM (1 << 20)
#define NR_BURSTS  4 /* until a disk that fills is noticed and the buffers are empty */

rwk_ns rwk_watch_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (rwk_ns)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int64_t rwk_watch_near_bytes(int64_t max_bytes, int64_t buffers_bytes)
{
	int64_t margin = buffers_bytes;

	/* Full buffers are the worst case, and rare: a small recording is not to be all margin. */
	if (margin > max_bytes / 8)
		margin = max_bytes / 8;
	return max_bytes - margin;
}

bool rwk_watch_disk_is_full(int64_t room, int64_t written, int64_t burst)
{
	return written + NR_BURSTS * burst + HEAD_BYTES > room;
}

int64_t rwk_watch_most_bytes(int64_t room)
{
	/* File systems take something for themselves, too. */
	int64_t usable = room - room / 64 - 2 * HEAD_BYTES;

	return room == INT64_MAX || usable < LEAST_ROOM ? 0 : usable / 2;
}

void rwk_watch_online(char buf[RWK_WATCH_ONLINE])
{
	int fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, buf, RWK_WATCH_ONLINE - 1) : 0;

	buf[n > 0 && n < RWK_WATCH_ONLINE - 1 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

static void look_at_cpus(struct rwk_watch *w)
{
	char now[RWK_WATCH_ONLINE];

	if (!w->opt->cpus_changed)
		return;
	rwk_watch_online(now);
	if (w->online[0] && strcmp(w->online, now))
		w->opt->cpus_changed(w->opt->cpus_changed_ctx);
	memcpy(w->online, now, sizeof(now));
}

static bool is_stopped(const struct rwk_watch *w)
{
	return w->opt->stop && *w->opt->stop;
}

int64_t rwk_watch_room(int fd)
{
	struct statvfs fs;

	/* What cannot be known does not end a recording. */
	if (fstatvfs(fd, &fs) || !fs.f_blocks)
		return INT64_MAX;
	return fs.f_bavail > INT64_MAX / fs.f_frsize ? INT64_MAX
						     : (int64_t)(fs.f_bavail * fs.f_frsize);
}

enum rwk_record_end rwk_watch_until_end(struct rwk_watch *w)
{
	struct pollfd fds[] = {{.fd = rwk_drain_fd(w->drain), .events = POLLIN},
		{.fd = w->command->pid_fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
	int64_t last = 0, burst = 0;
	rwk_ns next_sample = w->start + SAMPLE_NS, fired_at = 0;

	while (!is_stopped(w)) {
		rwk_ns left = TICK_MS * NS_PER_MS, now = rwk_watch_now();
		int64_t written = rwk_drain_written(w->drain);

		if (w->opt->command && rwk_command_ended(w->command))
			return RWK_RECORD_END_COMMAND;
		if (w->opt->duration_ns) {
			rwk_ns until = w->opt->duration_ns - (now - w->start);

			if (until <= 0)
				return RWK_RECORD_END_DURATION;
			if (until < left)
				left = until;
		}
		if (w->trigger && !w->fired.fired && rwk_trigger_poll(w->trigger, &w->fired))
			fired_at = now;
		if (w->fired.fired) {
			rwk_ns until = w->opt->after_ns - (now - fired_at);

			if (until <= 0)
				return RWK_RECORD_END_TRIGGER;
			if (until < left)
				left = until;
		}
		/* What a flight recorder is going to write is in the buffers. */
		if (w->opt->flight.on)
			written = 2 * rwk_setup_total_kb(&w->instance->setup) * 1024;
		else if (written - last > burst)
			burst = written - last;
		last = written;
		if (rwk_watch_disk_is_full(rwk_watch_room(w->work_fd), written, burst))
			return RWK_RECORD_END_DISK;
		if (now >= next_sample) {
			rwk_loss_sample(w->loss, w->instance);
			next_sample = now + SAMPLE_NS;
		}
		look_at_cpus(w);
		/* What comes of it later than it fired is of no interest. */
		fds[2].fd = w->trigger && !w->fired.fired ? rwk_trigger_fd(w->trigger) : -1;
		/* A signal ends this early, and one just before it costs a tick. */
		poll(fds, 3, (int)((left + NS_PER_MS - 1) / NS_PER_MS));
		if (fds[0].revents)
			return rwk_drain_is_near(w->drain) ? RWK_RECORD_END_SIZE
							   : RWK_RECORD_END_FAILED;
	}
	return RWK_RECORD_END_STOPPED;
}
