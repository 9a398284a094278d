/*
 * profile.h - the numbers of one or more results databases, summed up per kernel and source line. Every
 * report, export and comparison starts here; nothing in it refers to ids of a database any more, so that
 * databases of several processes or ranks add up, and two profiles can be compared by their keys.
 *
 * A line collects the sites (instrumented places) of one kernel that share source file, line, inlining chain,
 * kind and address space: unrolled or vectorised copies count together, loads and stores, LDS and global
 * memory apart.
 */
#ifndef RESULTS_PROFILE_H
#define RESULTS_PROFILE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "results/reader/findings.h"
#include "results/reader/reader.h"
#include "results/reader/seen.h"
#include "times.h"

/* A metric, or a ratio: scale * (a - b) / (c - d), whose operands are indices of metrics, -1 for none. */
struct ls_p_metric {
    const char *handler, *name, *unit, *description;
    bool is_ratio;
    double scale;
    int a, b, c, d;
    struct ls_metric_view view;
};

/* What a handler said of its table; clean may be NULL. */
struct ls_p_handler {
    const char *name, *title, *clean;
};

struct ls_p_place {
    const char *file; /* "" when unknown */
    uint32_t line, column;
    const char *function;
    bool library; /* the file is not the user's own (title.h) */
};

/* Sums by metric index. */
struct ls_p_values {
    int64_t *sum;
    bool *present, *estimated; /* estimated: a part of the sum is (exact.h) */
    size_t n;
};

/* A small set of texts in order of arrival. */
struct ls_p_texts {
    const char **items;
    size_t n;
};

struct ls_p_line {
    const struct ls_p_kernel *kernel;
    const char *key;  /* identifies the line in other profiles of the same kernel */
    const char *file; /* the innermost place; "" without debug information */
    uint32_t line;
    uint32_t *columns; /* of the sites, ascending */
    size_t n_columns;
    const char *function;     /* that holds the line */
    struct ls_p_place *chain; /* call sites that it was inlined into, nearest first */
    size_t n_chain;
    /* What the line is called: the nearest place in the user's own sources (title.h), of which the columns
     * are those of the sites when it is the innermost place, else the call's. */
    struct ls_p_place title;
    size_t title_depth;                              /* 0: the innermost place, n: chain[n - 1] */
    const char *title_source, *title_source_problem; /* as source below */
    const char *kind, *space;                        /* "load", "LDS" */
    uint32_t *bytes; /* per lane: distinct sizes, ascending; 0 stands for a dynamic length */
    size_t n_bytes;
    const char *source;         /* text of the innermost line without surrounding blanks; NULL when unknown */
    const char *source_problem; /* why it is unknown, or NULL */
    struct ls_p_texts instruction; /* IR opcodes and intrinsics */
    struct ls_p_texts isa;         /* instructions of the original kernel */
    bool alone;                  /* one instruction of a kernel without probes, on which nothing was joined */
    uint64_t offset;             /* then: from the first instruction of `function` */
    bool isa_merged;             /* the original serves several of these accesses with one instruction */
    size_t n_sites, n_estimated; /* estimated: of the sites, see exact.h */
    struct ls_p_texts estimate;  /* why */
    struct ls_p_values values;
};

/* Accesses of two places that one instruction does: its numbers stand at `counted`. Both are titles. */
struct ls_p_merge {
    struct ls_p_place other, counted;
};

/* A row that a handler stored. */
struct ls_p_row {
    const char *handler, *table, *json; /* its content as it was stored; parsed: rows.h */
    struct ls_p_row_text *of;           /* shared by rows of the same content */
    const struct ls_p_line *line;       /* NULL: of the whole dispatch */
    uint32_t column;                    /* of the access in the line's innermost place; 0: unknown */
    int64_t dispatch;                   /* its number in its process */
    size_t database;                    /* index of the recording */
};

/* A source file that has lines with numbers. */
struct ls_p_file {
    const char *path;
    const char *text; /* NULL: not stored, see problem */
    size_t size;
    const char *problem;
    struct ls_p_cursor {
        uint32_t line;
        size_t offset;
    } *cursor; /* where the line begins that was asked for last: who goes through the lines reads them once */
    bool library;        /* see title.h */
    bool differs;        /* another recording holds another text under this path */
    int64_t modified_ns; /* of the file when its text was stored; 0: unknown */
};

/* Something and how often. */
struct ls_p_count {
    const char *name, *plural;
    int64_t n;
};

/* Vector memory instructions of one name at one line that no observed access explains (unexplained.h); `arguments`: as they
 * read kernel arguments, which are no data of the program's. */
struct ls_p_unexplained {
    bool arguments;
    const char *file; /* "" when unknown */
    uint32_t line;    /* 0: none */
    const char *instruction;
    uint32_t n, here;   /* instructions; those of the recording that is being added */
    int64_t executions; /* of all of them, by wavefronts; -1: unknown */
};

/* A memory instruction of the original kernel. */
struct ls_p_code {
    const char *function; /* that is not inlined, from whose entry the offset counts; "" */
    int64_t offset;       /* bytes */
    const char *text, *file;
    uint32_t line, column;
    const struct ls_p_line *counted; /* with its numbers; NULL: with none, or it was not executed */
    bool joined;                     /* these are its own, not estimates */
};

struct ls_p_kernel {
    const char *name, *mangled, *arch, *file;
    const char *linkage; /* mangled, without what tells compilations apart (ls_without_unit) */
    uint32_t line;
    uint32_t lds_bytes, scratch_bytes, sgprs, vgprs, agprs; /* of the original */
    const char *not_instrumented;                           /* NULL: it is */
    uint32_t lanes;                                         /* of its wavefronts; 0: its GPU's usual number */
    bool twin; /* another kernel of this name and GPU is defined in another file */
    const char
        *code_name;       /* a name of its instructions, where no file of an observed one is known; or NULL */
    bool alone;           /* observed by its instructions: the software GPU tells what they access */
    const char *library;  /* last component of its code object's file; NULL: code that was in no file */
    const char *compiler; /* what its run-time compiler says of it (docs/triton.md), or NULL */
    int64_t dispatches, observed;
    struct ls_p_count *not_observed; /* dispatches by reason */
    size_t n_not_observed;
    uint32_t grid[3], workgroup[3]; /* of the first dispatch */
    uint32_t (*shape)[6];           /* different launch shapes: grid, work-group */
    size_t shapes;
    int64_t duration_ns; /* of all its dispatches */
    bool hardware_time,
        software_time; /* of a GPU, of the software GPU, which says nothing about one; or both */
    int64_t chunks, bytes, messages, bad, dropped;
    int64_t unlisted; /* accesses by code without a symbol, of dispatches without probes */
    uint32_t instructions, instructions_observed; /* coverage; kernel argument reads are not counted */
    bool any_function; /* they are also those of functions that it may, or may not, call through pointers */
    struct ls_p_count *not_covered; /* the rest, by reason */
    size_t n_not_covered;
    struct ls_p_unexplained *unexplained;
    size_t n_unexplained;
    uint32_t contradictions; /* counted instructions whose executions contradict each other */
    size_t executed,
        estimated; /* of the instructions: those with numbers; those whose numbers are estimates */
    struct ls_p_texts filters; /* sentences on recordings that hold a part of its wavefronts only */
    struct ls_p_merge *merges; /* each pair of places once */
    size_t n_merges;
    struct ls_p_line **lines;
    size_t n_lines;
    struct ls_p_values values; /* of whole dispatches */
    struct ls_p_row *rows;     /* in the order in which they were stored */
    size_t n_rows;
    struct ls_p_code *code; /* of the first recording that has any; by function and offset */
    size_t n_code;
    struct ls_p_kernel_index *index;
};

struct ls_p_database {
    const char *path, *created, *version, *command, *gpu, *runtime, *hostname, *guid;
    const char *filters; /* ls_filters_text, or "" */
    bool partial, live;
    bool priced; /* it holds what ls_profile.as asks for */
    int64_t pid;
    int64_t dangling;          /* of the first one of a file: references in it that lead to nothing */
    const char *rank, *run_id; /* "": none */
    const char *part;          /* of a merged database: the file that this process was recorded in; else "" */
};
struct ls_p_note {
    int level;
    const char *text;
    int count; /* of databases and times */
};

/* Metrics (active lanes) of two handlers that count the same accesses. */
struct ls_p_rivals {
    int a, b;
};

struct ls_profile {
    struct ls_arena arena;
    bool saturated; /* a sum did not fit 64 bits: a note says so */
    bool with_code; /* set before databases are added: the kernels' instructions are wanted */
    /* Set before databases are added: only what was priced as on this GPU (`run --as`), under the names that handlers
     * have otherwise; NULL: only what is of the GPU that ran the kernels. */
    const char *as;
    bool raw; /* set before databases are added: texts as they stand in the files; else fit to be printed */
    struct ls_p_metric *metrics;
    struct ls_p_handler *handlers;
    struct ls_p_kernel **kernels;
    struct ls_p_database *databases;
    struct ls_seen seen; /* the databases by their guids */
    struct ls_p_note *notes;
    struct profile_entry *kernel_index; /* the kernels by what tells them apart */
    struct profile_entry *note_index;   /* the notes by level and text: a file may hold as many as it likes */
    struct ls_p_file *files;
    struct profile_entry *file_index;     /* the files by path */
    struct ls_p_spelling *spellings;      /* of all files */
    struct profile_entry *spelling_index; /* by their paths without detours */
    struct ls_p_row_text *row_texts;      /* of all kernels' rows */
    /* the files of lines and of what they are inlined into, in the order of their ends */
    struct ls_p_texts by_ends;
    struct ls_times times;       /* in order of arrival until ls_times_sort */
    struct ls_finding *findings; /* equal ones of several databases once, with the sum of their counts */
    char **libraries;            /* folders of libraries that the user named */
    struct ls_p_rivals *rivals;
    size_t n_metrics, n_kernels, n_databases, n_notes, n_files, n_findings, n_libraries, n_handlers, n_rivals,
        n_spellings;
};

/* The command of a process (argv: a JSON array) as a line that a shell reads back. malloc'd; not yet fit
 * to be printed (ls_results_text). */
char *ls_command_text(const char *argv);

struct ls_profile *ls_profile_new(void);
/* Takes files below the folder for a library's, not the user's own. Call before databases are added. */
void ls_profile_add_library(struct ls_profile *p, const char *folder);
/* Whether some number of the databases was priced as on `as`. */
bool ls_profile_priced(const struct ls_profile *p);
/* Adds a database. Kernels whose name does not match `only` are left out; NULL: all are taken. 0, or -1 with *error. */
int ls_profile_add_file(struct ls_profile *p, const char *path, const regex_t *only, char **error);
/* To be called behind the last one: sorts times, and what ls_profile_short needs. */
void ls_profile_added(struct ls_profile *p);
void ls_profile_free(struct ls_profile *p);

/* Gives a recording's files plain paths ("a.hip" for "./a.hip"), and those that are one, spelled in several ways ("sub/../a.hip" and
 * "a.hip"), one: the plainest, or the one that they have in an earlier recording. Adding a recording does so; who reads one without that
 * calls it before anything asks for paths. */
void ls_profile_spell(struct ls_profile *p, struct ls_results *r);

/* As many last components of a path as tell it from all other files of lines. */
const char *ls_profile_short(const struct ls_profile *p, const char *path);
/* The same of a list of paths, once it was put in order, which also drops the second of two. */
void ls_short_names_sort(struct ls_p_texts *files);
const char *ls_short_name(const struct ls_p_texts *files, const char *path);

/* The file with this path, or NULL;
 * and its line `number` (from 1) without line end, NULL when there is none. */
const struct ls_p_file *ls_profile_file(const struct ls_profile *p, const char *path);
const char *ls_profile_line(const struct ls_p_file *f, uint32_t number, size_t *length);

/* The value of metric or ratio `metric`; false when the values have nothing for it. */
bool ls_profile_value(const struct ls_profile *p, const struct ls_p_values *v, size_t metric, double *out);
/* Every handler with metrics of the roles lanes and executions gets the quotient, whose role is lanes too. */
#define LS_ACTIVE_LANES "Active Lanes/Execution"
/* Lanes of a wavefront of the kernel. */
unsigned ls_kernel_lanes(const struct ls_p_kernel *k);
/* Whether its accesses could be priced on the GPU that the report is for: false only "as on" another one, which would have wavefronts of
 * another size. */
bool ls_kernel_priced(const struct ls_profile *p, const struct ls_p_kernel *k);
/* Whether any dispatch of any kernel was observed. */
bool ls_profile_is_observed(const struct ls_profile *p);
/* Whether so few lanes are active that it is worth a word: three of four, or fewer. */
static inline bool ls_lanes_idle(double active, unsigned lanes)
{
    return active <= 0.75 * lanes;
}
/* Index of a metric, or -1. handler NULL: the first of that name. Case does not matter. */
int ls_profile_metric(const struct ls_profile *p, const char *handler, const char *name);
/* The handler's first metric of that role, or -1. handler NULL: of any. */
int ls_profile_role(const struct ls_profile *p, const char *handler, enum lanescope_role role);
/* Its value; false: there is no such metric, or the values have nothing for it. */
bool ls_profile_role_value(const struct ls_profile *p, const struct ls_p_values *v, const char *handler,
                           enum lanescope_role role, double *out);
/* Accesses by wavefronts, and the mean of their active lanes: of all handlers with metrics of the roles lanes and
 * executions, or of one. Of handlers that count the same accesses the one counts that has most, else the first.
 * Both 0 and false: there are none. */
bool ls_accesses(const struct ls_profile *p, const struct ls_p_values *v, const char *handler,
                 double *executions, double *lanes);
/* What the handler said of its table; NULL: nothing. */
const struct ls_p_handler *ls_profile_handler(const struct ls_profile *p, const char *name);

#endif
