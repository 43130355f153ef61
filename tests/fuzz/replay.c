/*
 * Runs a target over the files of its corpus, and over each of them cut and
 * changed at places drawn from a fixed seed.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target.h"

#define MAX_SIZE (1 << 20)

static uint32_t draw(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % below;
}

static int run_file(const char *folder, const char *name, int nr_changes)
{
	uint64_t state = 1;
	uint8_t *bytes = malloc(MAX_SIZE), *changed = malloc(MAX_SIZE);
	char path[4096];
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (!f || !bytes || !changed) {
		fprintf(stderr, "cannot read %s\n", path);
		free(bytes);
		free(changed);
		return 1;
	}
	size = fread(bytes, 1, MAX_SIZE, f);
	fclose(f);
	LLVMFuzzerTestOneInput(bytes, size);
	for (int i = 0; i < nr_changes && size; i++) {
		size_t cut = i % 2 ? size : draw(&state, (uint32_t)size);

		memcpy(changed, bytes, size);
		for (int k = 0; k < 1 + i % 4; k++)
			changed[draw(&state, (uint32_t)size)] = (uint8_t)draw(&state, 256);
		LLVMFuzzerTestOneInput(changed, cut);
	}
	free(bytes);
	free(changed);
	return 0;
}

int main(int argc, char **argv)
{
	DIR *dir = argc == 3 ? opendir(argv[1]) : NULL;
	struct dirent *entry;
	int nr = 0, bad = 0;

	if (!dir) {
		fprintf(stderr, "usage: %s CORPUS CHANGES\n", argv[0]);
		return 2;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		bad |= run_file(argv[1], entry->d_name, atoi(argv[2]));
		nr++;
	}
	closedir(dir);
	printf("%d files\n", nr);
	return bad || !nr;
}
