/* output_file.h - a file that a verb writes: as a whole, or not at all. */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct output_rules {
    const void *
        mark; /* by which files are known that may be replaced, `mark_size` bytes; 0: any ordinary file may */
    size_t mark_size;
    char *const *databases; /* nobody can read the file who cannot read all `n` of these */
    size_t n;
    /* what is replaced is Lanescope's own: what mode it had does not matter, else the new file gets no
     * wider */
    bool ours;
};

/* Opens the file that will be at `path`; one at a time. Links are not followed. NULL with errno: ELOOP for a link, EEXIST for a file
 * without the mark. */
FILE *output_file_open(const char *path, const struct output_rules *rules);
/* The same for several at a time: opens a new file beside `path`; *beside, malloc'd, is its name, which an interrupt removes. The
 * caller renames it, or unlinks it, and calls unfinished_end. -1 with errno, and *beside is NULL. */
int output_file_beside(const char *path, const struct output_rules *rules, char **beside);
/* What errno of these means for a user. */
const char *output_file_cause(int why);
/* Closes it. With `rc` 0, and if all could be written, it is at `path` now; else what was there before still is. Returns rc, or an
 * exit code after a message. */
int output_file_close(FILE *out, const char *path, int rc);
/* Whether a recording with something in it is at `path`. */
bool output_is_recording(const char *path);

#endif
