/* profile_internal.h - what the parts of the profile (profile.h) share. */
#ifndef LANESCOPE_PROFILE_INTERNAL_H
#define LANESCOPE_PROFILE_INTERNAL_H

#include <uthash.h>
#include "results/file/error_text.h"
#include "profile.h"

/* Lookup tables of a kernel: its lines by key, its counted sites by module and number, the rest by what tells
 * them apart. */
struct profile_entry {
    UT_hash_handle hh;
    union {
        struct ls_p_line *line; /* of lines and sites */
        struct ls_p_kernel *kernel;
        size_t index; /* of all others: which one of the list */
    };
    bool estimated; /* of a site */
    char key[];
};
struct ls_p_kernel_index {
    struct profile_entry *lines, *sites, *unexplained, *merges;
};

/* How the path of a file is written, and what the file holds. */
struct ls_p_spelling {
    const char *path;
    uint64_t text; /* its hash; 0: unknown */
};

/* What add_results carries around: the translation from the database's ids. */
struct profile_adding {
    struct ls_profile *p;
    struct ls_results *r;
    struct ls_p_kernel **kernel_of; /* by index in r->kernels; NULL: left out */
    /* By index in r->kernels: whether it was launched. A kernel in a header is in each code object whose file includes it, and those
     * copies are one kernel here: what was never launched adds nothing to it. */
    bool *launched;
    int *metric_of;        /* by index in r->metrics */
    size_t first_database; /* in p->databases: that of r's first process */
};

/* ---- profile.c ---- */

/* The recording that the kernel of that id is from. */
size_t profile_database_of(const struct profile_adding *a, int64_t kernel);
/* A copy that lives as long as the profile; of NULL: "". */
const char *profile_keep(struct ls_profile *p, const char *s);
/* NULL: not there. */
struct profile_entry *profile_find(struct profile_entry *table, const char *key);
struct profile_entry *profile_enter(struct ls_profile *p, struct profile_entry **table, const char *key);
/* Once; not "". */
void profile_add_text(struct ls_profile *p, struct ls_p_texts *t, const char *s);

/* ---- rows.c ---- */

/* What stands in the row; copied. */
void profile_set_row_text(struct ls_profile *p, struct ls_p_row *row, const char *json);
void profile_free_row_texts(struct ls_profile *p);

/* ---- profile_metrics.c ---- */

/* Number of the metric in p->metrics; -1: left out. */
int profile_metric_of(const struct profile_adding *a, int64_t id);
/* Whether results of the handler are wanted: as on p->as, or on the GPU that ran the kernels. */
bool profile_wants(const struct ls_profile *p, const char *handler);
/* The name without the GPU's. */
const char *profile_keep_handler(struct ls_profile *p, const char *handler);
void profile_add_metrics(struct profile_adding *a);
void profile_add_handlers(struct profile_adding *a);
/* Every handler that counts both gets the quotient that readers want to see. */
void profile_add_lanes_ratio(struct ls_profile *p);
/* Adds to the sum of one metric. */
void profile_add_value(struct ls_profile *p, struct ls_p_values *v, size_t metric, int64_t value,
                       bool estimated);

/* ---- profile_kernels.c ---- */

/* The kernel that the database has under that id; NULL: left out. */
struct ls_p_kernel *profile_kernel_of(const struct profile_adding *a, int64_t id);
/* `only`: names that are wanted, NULL: all. */
void profile_add_kernels(struct profile_adding *a, const regex_t *only);
/* Finds those that were launched; before kernels are added. */
void profile_find_launched(struct profile_adding *a);
/* Whether it is a copy that was not launched, of a kernel of which one was. */
bool profile_is_idle_copy(const struct profile_adding *a, const struct ls_r_kernel *k);
void profile_add_dispatches(struct profile_adding *a);

/* ---- profile_files.c ---- */

/* What a file of the recordings that were added is called (ls_profile_spell), of which another way to write it is known, or only the end: findings
 * have the paths of line tables, which may be relative. */
const char *profile_spelled(struct ls_profile *p, const char *path);
/* Keeps the text of a file that has numbers. The first recording's text counts. */
void profile_add_file(struct ls_profile *p, const struct ls_results *r, const struct ls_r_file *file);
/* The line's text without surrounding blanks; NULL with *problem. */
const char *profile_source_text(struct ls_profile *p, const struct ls_r_file *file, uint32_t line,
                                const char **problem);

/* ---- profile_lines.c ---- */

/* The kernel's line that the site belongs to; a site seen for the first time adds its facts to it. */
struct ls_p_line *profile_line_of(struct profile_adding *a, struct ls_p_kernel *k, const struct ls_r_site *s);
/* Coverage counts every site once, however many processes recorded it. */
void profile_add_coverage(struct profile_adding *a, struct ls_p_kernel *k, const struct ls_r_site *s);
/* 0, or -1 with *error (malloc'd), as of all that return int here. */
int profile_add_totals(struct profile_adding *a, char **error);
/* Which lines an instruction merges accesses of. Only one of them has its numbers. */
void profile_add_merges(struct profile_adding *a);
/* Which functions a call leads to is known only when it runs:
 * these are counted by executions, not by sites. */
int profile_add_calls(struct profile_adding *a, char **error);
void profile_add_sites(struct profile_adding *a);
/* For ls_code_add; `context` is a struct profile_adding. */
const struct ls_p_line *profile_line_with_site(void *context, const struct ls_p_kernel *k,
                                               const struct ls_r_site *s);

/* ---- profile_databases.c ---- */

/* The same note again counts. */
void profile_add_note(struct ls_profile *p, int level, const char *text);
/* A merged database holds several recordings. */
void profile_add_databases(struct profile_adding *a);
/* The error when a recording would count twice; NULL. */
char *profile_said_before(const struct ls_profile *p, const struct ls_results *r);

#endif
