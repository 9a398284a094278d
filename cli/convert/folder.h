/* folder.h - the folder that a form of several files fills: new or empty, and left as it was when it fails. With --force
 * others may be in it: what has the names of the new files is replaced when all are written. */
#ifndef CLI_CONVERT_FOLDER_H
#define CLI_CONVERT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include "forms.h"
#include "results/reader/reader.h"

struct folder {
    const char *path;
    bool made; /* by us */
    bool force;
    struct folder_entry {
        char *file, *name;          /* where it is written, and the name that it will have */
    } *files;                       /* n_files */
    struct folder_prefix *prefixes; /* of the processes' files */
    size_t n_files;
};

/* Makes c->output, or takes an empty one, by force any. 0, or an exit code after a message. */
int folder_open(struct folder *f, const struct conversion *c);
/* What the files of a process begin with: its number, and "-2" for the second one that has it. Belongs to f. */
const char *folder_prefix(struct folder *f, const struct ls_r_process *p);
/* A new file PREFIX_NAME, open for reading and writing and readable for those who may read `database`; *path is where it is
 * written, *shown how it will be called; both belong to f. -1 after a message. */
int folder_file(struct folder *f, const char *prefix, const char *name, char *database, const char **path,
                const char **shown);
/* Frees it. With `rc` 0 the files get their names; else what was written is removed. Returns rc, or an exit code after a
 * message. */
int folder_close(struct folder *f, int rc);

#endif
