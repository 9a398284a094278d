/* csv_folder.h - the folder that `convert --to csv` fills. */
#ifndef CLI_CONVERT_CSV_FOLDER_H
#define CLI_CONVERT_CSV_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include "trace.h"

struct csv_folder {
    const char *path;
    bool made;       /* by us */
    char **files;    /* that were written; n_files */
    char **prefixes; /* of the processes' files; n_processes */
    char **guids;    /* of the processes; n_processes */
    size_t n_files, n_processes;
};

/* Makes the folder, or takes an empty one. 0, or an exit code after a message. */
int csv_folder_open(struct csv_folder *f, const char *path);
/* Writes the files of all processes of a recording. Nobody can read them who cannot read `database`, the
 * trace's file. 0, or an exit code after a message. */
int csv_folder_add(struct csv_folder *f, const struct trace *t, char *database);
/* Frees it; with `rc` not 0 also removes what was written. Returns rc. */
int csv_folder_close(struct csv_folder *f, int rc);

#endif
