/* Entry: finds the verb and hands over. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/exit.h"
#include "cli/message.h"
#include "cli/usage.h"
#include "cli/verbs.h"
#include "config.h"

/*
 * Who starts us with the standard descriptors closed would have files and pipes of
 * ours in their place.  What stands there now can be used as little as before.
 */
static void hold_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return;
}

int main(int argc, char **argv)
{
	hold_descriptors();
	if (argc < 2) {
		rwk_verbs_usage(stderr);
		return RWK_EXIT_MISUSED;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		rwk_verbs_usage(stdout);
		return RWK_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("rewake " REWAKE_VERSION);
		return RWK_EXIT_OK;
	}
	for (const struct rwk_verb *const *v = rwk_verbs; *v; v++) {
		if (!strcmp((*v)->name, argv[1]))
			return (*v)->run(argc - 1, argv + 1);
	}
	rwk_msg_error(NULL, "no verb named %s; rewake --help lists them", argv[1]);
	return RWK_EXIT_MISUSED;
}
