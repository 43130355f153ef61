/* The packets of CTF streams, as LTTng lays them out, without the library. */
#ifndef SRC_DECODE_CTF_PACKETS_H
#define SRC_DECODE_CTF_PACKETS_H

#include <stdint.h>

/* Where the whole packets of a stream end, and how many they are; -1: these are none of LTTng's. */
int64_t rwk_ctf_packets_end(int fd, int64_t size, int64_t *ret_nr);

/* Whole packets of all streams of a trace; -1: some are none of LTTng's. */
int64_t rwk_ctf_packets_count(const char *folder);

#endif
