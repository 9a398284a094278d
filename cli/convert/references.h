/* references.h - whether all that a recording refers to is in it. */
#ifndef CLI_CONVERT_REFERENCES_H
#define CLI_CONVERT_REFERENCES_H

#include "results/profile/profile.h"
#include "results/reader/reader.h"

/* Refuses a recording in which a row refers to nothing, because a writer would have to leave that row out.
 * 0, or EXIT_DATABASE after a message. */
int references_check(struct ls_results *r, const char *path);
/* The same for the recordings of a profile. */
int references_check_profile(const struct ls_profile *p);
/* The message, of so many references. EXIT_DATABASE. */
int references_refuse(const char *path, size_t rows);

#endif
