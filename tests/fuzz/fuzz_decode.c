/* Any bytes as a trace: detected, opened and read to the end. */
#include <unistd.h>

#include "decode_all.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	int fd = fuzz_file(data, size, path);

	fuzz_decode_all(path);
	close(fd);
	return 0;
}
