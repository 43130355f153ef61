/* The files that a recording NAME consists of. */
#ifndef SRC_CLI_RECORD_FILES_H
#define SRC_CLI_RECORD_FILES_H

struct rwk_record_files {
	char *trace; /* NAME.dat; a name that ends in .dat is taken as it is */
	char *sidecar; /* NAME.machine.json */
};

/* 0 or -ENOMEM; to be finished in both cases. */
int rwk_record_files_name(const char *name, struct rwk_record_files *ret);
void rwk_record_files_finish(struct rwk_record_files *files);

#endif
