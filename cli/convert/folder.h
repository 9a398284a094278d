/* folder.h - the folder that a form of several files fills: new or empty, and left without files of ours when it
 * fails. */
#ifndef CLI_CONVERT_FOLDER_H
#define CLI_CONVERT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include "results/reader/reader.h"

struct folder {
    const char *path;
    bool made;       /* by us */
    char **files;    /* that were written; n_files */
    char **prefixes; /* of the processes' files; n_processes */
    size_t n_files, n_processes;
};

/* Makes the folder, or takes an empty one. 0, or an exit code after a message. */
int folder_open(struct folder *f, const char *path);
/* What the files of a process begin with: its number, and "-2" for the second one that has it. Belongs to f. */
const char *folder_prefix(struct folder *f, const struct ls_r_process *p);
/* A new file PREFIX_NAME, open for reading and writing and readable for those who may read `database`; its path
 * belongs to f. -1 after a message. */
int folder_file(struct folder *f, const char *prefix, const char *name, char *database, const char **path);
/* Frees it; with `rc` not 0 also removes what was written. Returns rc. */
int folder_close(struct folder *f, int rc);

#endif
