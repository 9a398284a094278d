/*
 * merge.h - many recordings as one. Ids are shifted, so that nothing of one recording refers to another's; source files
 * of one path, and metrics and handlers of one name, stand once. Which columns are ids, the schema's foreign keys say: new
 * tables need no line here.
 */
#ifndef RESULTS_MERGE_H
#define RESULTS_MERGE_H

#include <stddef.h>

struct ls_merge;

/* Begins a database in the new file `path`. NULL with *error (malloc'd: file, cause, fix). */
struct ls_merge *ls_merge_begin(const char *path, char **error);
/* Adds a recording, or an earlier merge; opens and closes it. 0, or -1 with *error: it cannot be read, is of a newer
 * schema, has tables or columns that this version does not know, refers to rows that it does not have, or was added
 * already. The merge cannot be finished then. */
int ls_merge_add(struct ls_merge *m, const char *path, char **error);
/* Completes the file and frees m. 0, or -1 with *error; the file is then not to be used. */
int ls_merge_finish(struct ls_merge *m, char **error);
/* Frees m, leaving the file as it is. */
void ls_merge_drop(struct ls_merge *m);

#endif
