/*
 * Any bytes as the folder of a CTF trace, read as always: with libbabeltrace2 in a child
 * process, which may die of them.
 */
#include "ctf_folder.h"
#include "decode_all.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];

	fuzz_ctf_folder(data, size, path);
	fuzz_decode_all(path);
	fuzz_ctf_folder_remove(path);
	return 0;
}
