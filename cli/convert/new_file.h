/* new_file.h - the one file that a form writes: a new one, with --force in place of another, or stdout for "-". */
#ifndef CLI_CONVERT_NEW_FILE_H
#define CLI_CONVERT_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include "forms.h"

struct new_file {
    const char *path;
    FILE *out;
    bool replaces; /* what was there before, when it is complete */
};

/* Opens c->output; readable for those who may read all databases. 0, or an exit code after a message. */
int new_file_open(struct new_file *f, const struct conversion *c);
/* Closes it; with `rc` not 0, or when it cannot be written, no file is left. Returns the exit code. */
int new_file_close(struct new_file *f, int rc);

#endif
