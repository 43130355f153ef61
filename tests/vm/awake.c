/*
 * A task that is woken while it still runs, and runs on until it is preempted, much later.
 * Taking the time from that waking until it gets back onto its CPU for a wait is wrong.
 *   awake SECONDS LEAST_MS TIMES
 * Waiting for many futexes at once, a task says first that it sleeps, and then puts itself
 * into the queue of each.  Somebody who changes the first one meanwhile wakes a task that runs.
 * That it was woken and has not slept shows in the answer and in the count of voluntary
 * switches, so the moment is hunted for, with another delay each time.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NR_FUTEXES = 128, MAX_SECONDS = 60, LONGEST_NS = 10000000 };

struct shared {
	volatile int turn; /* counts up: the other's move when it is odd */
	volatile int64_t delay; /* until it changes the futex */
	uint32_t futex[NR_FUTEXES];
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void spin_ns(int64_t ns)
{
	int64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("awake: sched_setaffinity");
}

static pid_t child(const char *name)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("awake: fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, 9);
		prctl(PR_SET_NAME, name);
	}
	return pid;
}

static void set_priority(int priority)
{
	struct sched_param param = {.sched_priority = priority};

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		fail("awake: sched_setscheduler");
}

/* Preempts whoever writes into the pipe, for a moment; on the same CPU. */
static void rival(int fd)
{
	char byte;

	set_priority(2);
	while (read(fd, &byte, 1) == 1)
		;
	_exit(0);
}

static void waker(struct shared *s)
{
	move_to(1);
	for (;; s->turn++) {
		while (!(s->turn & 1))
			;
		spin_ns(s->delay);
		__atomic_store_n(&s->futex[0], 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &s->futex[0], FUTEX_WAKE, 1, NULL, NULL, 0);
	}
}

static long voluntary_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

/* Whether it was woken without having slept. */
static int try(struct shared *s)
{
	struct futex_waitv wait[NR_FUTEXES] = {0};
	long before, woken;

	for (int i = 0; i < NR_FUTEXES; i++) {
		wait[i].uaddr = (uintptr_t)&s->futex[i];
		wait[i].flags = FUTEX_32;
	}
	while (s->turn & 1)
		;
	s->futex[0] = 0;
	before = voluntary_switches();
	s->turn++;
	woken = syscall(SYS_futex_waitv, wait, NR_FUTEXES, 0, NULL, 0);
	if (woken < 0 && errno != EAGAIN && errno != EINTR)
		fail("awake: futex_waitv");
	return woken == 0 && voluntary_switches() == before;
}

int main(int argc, char **argv)
{
	double seconds = argc == 4 ? strtod(argv[1], NULL) : 0;
	int64_t run_for = argc == 4 ? strtol(argv[2], NULL, 10) * INT64_C(1000000) : 0, end;
	long times = argc == 4 ? strtol(argv[3], NULL, 10) : 0, calls = 0, awake = 0;
	struct shared *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd[2];

	if (!(seconds > 0 && seconds <= MAX_SECONDS) || run_for <= 0 || times <= 0) {
		fprintf(stderr, "usage: awake SECONDS LEAST_MS TIMES\n");
		return 2;
	}
	if (s == MAP_FAILED || pipe(fd))
		fail("awake");
	move_to(0);
	if (!child("rival"))
		rival(fd[0]);
	if (!child("waker"))
		waker(s);
	prctl(PR_SET_NAME, "awake");
	set_priority(1); /* so that nobody else preempts it */
	end = now_ns() + (int64_t)(seconds * 1e9);
	for (; now_ns() < end && awake < times; calls++) {
		s->delay = s->delay < LONGEST_NS ? s->delay * 11 / 10 + 1000 : 0;
		if (!try(s))
			continue;
		awake++;
		spin_ns(run_for);
		if (write(fd[1], "", 1) != 1)
			fail("awake: write");
	}
	printf("awake %ld times in %ld calls\n", awake, calls);
	return 0;
}
