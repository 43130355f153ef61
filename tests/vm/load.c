/*
 * Wakeups to record in a guest: pairs of processes that answer each other over
 * sockets, and one process that hands out work to a row of workers.
 *   load SECONDS PAIRS          what they do takes them some time
 *   load SECONDS PAIRS count    the pairs alone, doing nothing else; prints answers of each
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PAIRS = 64, MAX_SECONDS = 60 };

static int counting;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void work_us(unsigned us)
{
	int64_t end = now_ns() + us * INT64_C(1000);

	if (counting)
		return;
	while (now_ns() < end)
		;
}

/* Different for each byte, so that the two sides do not run in step. */
static unsigned some_us(unsigned char byte)
{
	return (byte * 37u) % 120u;
}

static void answer(int fd)
{
	unsigned char byte;

	prctl(PR_SET_NAME, "pong");
	while (read(fd, &byte, 1) == 1) {
		work_us(some_us(byte));
		if (write(fd, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

/* One pair; returns in the process that asks. */
static void ask(int64_t end)
{
	unsigned char byte = (unsigned char)getpid(), back;
	long answers = 0;
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fd)) {
		perror("load: socketpair");
		exit(1);
	}
	switch (fork()) {
	case -1:
		perror("load: fork");
		exit(1);
	case 0:
		prctl(PR_SET_PDEATHSIG, 9);
		answer(fd[1]);
	}
	prctl(PR_SET_NAME, "ping");
	while (now_ns() < end) {
		byte++;
		if (write(fd[0], &byte, 1) != 1 || read(fd[0], &back, 1) != 1)
			break;
		answers++;
		work_us(some_us(byte) / 2);
	}
	if (counting)
		printf("%ld answers\n", answers);
	exit(0);
}

/* All workers at once, then all answers. */
static void hand_out(int64_t end, int workers)
{
	int fd[MAX_PAIRS][2];
	unsigned char byte = 0, back;

	for (int i = 0; i < workers; i++) {
		if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fd[i])) {
			perror("load: socketpair");
			exit(1);
		}
		switch (fork()) {
		case -1:
			perror("load: fork");
			exit(1);
		case 0:
			prctl(PR_SET_PDEATHSIG, 9);
			answer(fd[i][1]);
		}
	}
	prctl(PR_SET_NAME, "hand-out");
	while (now_ns() < end) {
		for (int i = 0; i < workers; i++) {
			byte++;
			if (write(fd[i][0], &byte, 1) != 1)
				exit(1);
		}
		for (int i = 0; i < workers; i++) {
			if (read(fd[i][0], &back, 1) != 1)
				exit(1);
		}
		usleep(2000);
	}
	exit(0);
}

int main(int argc, char **argv)
{
	int usable = argc == 3 || (argc == 4 && !strcmp(argv[3], "count"));
	double seconds = usable ? strtod(argv[1], NULL) : 0;
	long pairs = usable ? strtol(argv[2], NULL, 10) : 0;
	int64_t end;
	int status, failed = 0;

	if (!(seconds > 0 && seconds <= MAX_SECONDS) || pairs < 1 || pairs > MAX_PAIRS) {
		fprintf(stderr, "usage: load SECONDS PAIRS [count]\n");
		return 2;
	}
	end = now_ns() + (int64_t)(seconds * 1e9);
	counting = argc == 4;
	for (long i = 0; i < pairs + !counting; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			perror("load: fork");
			return 1;
		}
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, 9);
		if (i < pairs)
			ask(end);
		hand_out(end, (int)pairs);
	}
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : 0;
}
