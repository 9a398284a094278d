/* profile_json.h - what the JSON of several verbs says in the same words: docs/cli.md lists the fields. All are new
 * references, NULL when out of memory. */
#ifndef CLI_PROFILE_JSON_H
#define CLI_PROFILE_JSON_H

#include <jansson.h>
#include "results/profile/exact.h"
#include "results/profile/profile.h"

/* Arrays. */
json_t *profile_json_databases(const struct ls_profile *p);
json_t *profile_json_metrics(const struct ls_profile *p);
json_t *profile_json_notes(const struct ls_profile *p);
json_t *profile_json_texts(const struct ls_p_texts *t);
/* Of a grid or a work-group, by axis. */
json_t *profile_json_sizes(const uint32_t v[3]);
/* Adds to `j` what tells the kernel from others of its name: "kernel_file" (`file`, whose reference is taken over), "kernel_line", and
 * "kernel_code" where no file is known. For those that have a twin. */
void profile_json_put_origin(json_t *j, const struct ls_p_kernel *k, json_t *file);
/* How many instructions have exact numbers, and a sentence on them; NULL: none. */
json_t *profile_json_exactness(struct ls_exactness e, const char *sentence);
/* The same of all kernels. */
json_t *profile_json_all_exactness(const struct ls_profile *p);

#endif
