/* Pictures drawn at random from a seed: the same seed gives the same picture. */
#ifndef TESTS_POLICY_RANDOM_PICTURE_H
#define TESTS_POLICY_RANDOM_PICTURE_H

#include "wakeup_build.h"

/*
 * A machine of up to 16 CPUs with or without SMT and several LLCs, each CPU idle
 * or busy, a wakeup anywhere.  known: every input is; else some are unknown.
 */
void random_picture(struct picture *pic, uint64_t seed, const char *kernel, bool known);

/*
 * Adds what few machines have: several LLCs in a node, CPUs of different
 * capacity, clusters, SCHED_IDLE tasks, an isolated CPU.
 */
void random_oddities(struct picture *pic, uint64_t seed);

#endif
