/* Starting the child, and cutting what comes through its pipe into records. */
#include "decode/ctf_child.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "decode/ctf_find.h"

#define BUFFER 512 /* records read at once */

static int run(void *ctx, int fd)
{
	return rwk_ctf_read(ctx, fd);
}

int rwk_ctf_child_start(struct rwk_ctf_child *child, const char *folder)
{
	struct rwk_isolate_limits limits;
	int64_t bytes, seconds;
	size_t nr_files;

	if (!child->buffer)
		child->buffer = calloc(BUFFER, sizeof(*child->buffer));
	if (!child->buffer) {
		rwk_ctf_set_text(child->why, sizeof(child->why), "cannot start: out of memory");
		return -ENOMEM;
	}
	rwk_ctf_measure(folder, &bytes, &nr_files);
	/* Far more than it takes; the library maps 8 MB of each file. */
	seconds = 20 + bytes / 1000000;
	limits = (struct rwk_isolate_limits){
		.memory = ((size_t)1 << 30) + nr_files * ((size_t)16 << 20),
		.cpu_seconds = seconds < UINT_MAX ? (unsigned int)seconds : UINT_MAX,
		.wall_ms = seconds < INT_MAX / 1000 ? (int)seconds * 1000 : INT_MAX,
	};
	return rwk_isolate_start(
		&limits, run, (void *)(uintptr_t)folder, child->why, &child->stream);
}

int rwk_ctf_child_next(struct rwk_ctf_child *child, struct rwk_ctf_record *ret)
{
	size_t size = sizeof(*ret);

	while (child->stream && child->nr_bytes - child->at < size) {
		char *bytes = (char *)child->buffer;
		int64_t n;

		memmove(bytes, bytes + child->at, child->nr_bytes - child->at);
		child->nr_bytes -= child->at;
		child->at = 0;
		n = rwk_isolate_read(
			child->stream, bytes + child->nr_bytes, BUFFER * size - child->nr_bytes);
		if (n <= 0) {
			rwk_isolate_end(child->stream, child->why);
			child->stream = NULL;
			break;
		}
		child->nr_bytes += (size_t)n;
	}
	if (child->nr_bytes - child->at < size)
		return 0;
	memcpy(ret, (char *)child->buffer + child->at, size);
	child->at += size;
	if (ret->type != RWK_CTF_EVENT)
		ret->text[sizeof(ret->text) - 1] = '\0';
	return 1;
}

void rwk_ctf_set_text(char *dst, size_t size, const char *text)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++)
		dst[n++] = (char)((unsigned char)*text < ' ' ? ' ' : *text);
	dst[n] = '\0';
}

void rwk_ctf_child_add_cause(struct rwk_ctf_child *child, const char *text)
{
	size_t n = strlen(child->cause);

	rwk_ctf_set_text(child->cause + n, sizeof(child->cause) - n, text);
}

const char *rwk_ctf_child_why(struct rwk_ctf_child *child)
{
	if (!child->cause[0]) {
		rwk_ctf_child_add_cause(child, "libbabeltrace2 ");
		rwk_ctf_child_add_cause(child, child->why[0] ? child->why : "told no end");
	}
	return child->cause;
}

void rwk_ctf_child_stop(struct rwk_ctf_child *child)
{
	rwk_isolate_end(child->stream, child->why);
	child->stream = NULL;
	child->nr_bytes = child->at = 0;
	child->cause[0] = child->why[0] = '\0';
}

void rwk_ctf_child_finish(struct rwk_ctf_child *child)
{
	rwk_ctf_child_stop(child);
	free(child->buffer);
}
