/*
 * reader.h - one results database in memory. Everything that reports, exports and comparisons need, except
 * the numbers themselves, which ls_results_totals sums up inside SQLite.
 *
 * Arrays are sorted by id; the lookup functions take ids and return NULL for 0 and for unknown ids. All
 * memory belongs to the struct ls_results. Errors are malloc'd lines "file: cause; fix" that the caller
 * frees.
 */
#ifndef RESULTS_READER_H
#define RESULTS_READER_H

#include "results/file/metric_view.h"
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "arena.h"

struct ls_r_process {
    int64_t id, pid, ppid;
    const char *hostname, *cwd, *gpu, *runtime, *options, *guid;
    const char *argv; /* JSON array */
    const char *rank; /* NULL: none */
    /* Of a merged database, what the recording's own meta table said; else NULL. */
    const char *file, *run_id, *created, *version, *state;
    int64_t start_ns, end_ns; /* CLOCK_BOOTTIME; end 0: unknown (killed) */
};
struct ls_r_module {
    int64_t id;
    const char *hash;
};
struct ls_r_file {
    int64_t id;
    const char *path;
    const char *text; /* NULL: not stored, see problem */
    size_t size;
    const char *problem;
    int64_t modified_ns; /* of the file when its text was stored; 0: unknown */
    uint32_t origin;     /* enum ls_file_origin */
};
struct ls_r_kernel {
    int64_t id, process, module; /* 0: not instrumented */
    const char *mangled, *name, *arch;
    int64_t file;
    uint32_t line;
    uint32_t lds_bytes, scratch_bytes, sgprs, vgprs, agprs;
    const char *not_instrumented;
    const char *uri;      /* of its code object; NULL: unknown */
    const char *compiler; /* what its run-time compiler says of it (docs/triton.md), or NULL */
    bool alone;           /* dispatches of it were observed by its instructions, without probes */
    int64_t unlisted;     /* accesses of these by code without a symbol */
    uint32_t lanes;       /* of its wavefronts; 0: of an older recording, or unknown */
};
struct ls_r_frame {
    int64_t id, file, parent;
    uint32_t line, column;
    const char *function;
};
struct ls_r_site {
    int64_t id, module, kernel, frame; /* kernel 0: shared by several */
    uint32_t number, kind, space, bytes, align, flags, reason;
    const char *instruction, *function, *isa; /* isa NULL: unknown */
    bool isa_merged;
    uint32_t join;        /* isa_join: 0 not joined */
    const char *estimate; /* why it has numbers that are estimates; NULL: unknown, or it has none */
    bool alone;           /* an instruction of a kernel without probes */
    uint64_t offset;      /* then: from the first one of its function */
    int64_t counted_at; /* site that counts the instruction which does this access too; 0: none, or unknown */
};
struct ls_r_metric {
    int64_t id;
    const char *handler, *name, *unit, *description;
    bool is_ratio;
    double scale;
    int64_t a, b, c, d; /* metric ids */
    struct ls_metric_view view;
};
/* What a handler said of its table. */
struct ls_r_handler {
    const char *name, *title, *clean; /* clean: or NULL */
};
/* Dispatches of one kernel that share their fate. */
struct ls_r_dispatches {
    int64_t kernel;
    bool observed;
    const char *reason; /* "" when observed */
    int64_t count, duration_ns, chunks, bytes, messages, bad, dropped;
};
/* Where another one of the accesses stands that the compiler made a site of. */
struct ls_r_part {
    int64_t site, frame;
};
/* The launch shapes of a kernel, each once, in order of the first launch. */
struct ls_r_shape {
    int64_t kernel;
    uint32_t size[6]; /* grid, work-group */
};
struct ls_r_note {
    int level;
    const char *text;
};
/* How often a handler wrote rows of its own. */
struct ls_r_rows {
    const char *handler, *table;
    int64_t count;
};
/* One row that a handler stored. */
struct ls_r_row {
    int64_t kernel, site; /* site 0: of the whole dispatch */
    int64_t dispatch;     /* its number in the process */
    const char *handler, *table, *json;
};
/* Sum over dispatches. site 0: of whole dispatches. */
struct ls_r_total {
    int64_t kernel, site, metric, value;
};

/* Calls through a pointer, of all dispatches, that led to functions without probes. */
struct ls_r_call {
    int64_t kernel, site, executions, lanes;
};

/* An instruction of an original kernel that accesses LDS, global or flat memory. */
struct ls_r_vector {
    int64_t kernel, module; /* kernel 0: of a function that kernels of the module call */
    const char *function;   /* its linkage name; "" */
    uint32_t together; /* those of a kernel or function with the same number are executed equally often */
    bool tells;        /* executions of its site, divided by the instructions that the site counts */
    bool counted;      /* by an observed site, as it is executed */
    int64_t site;      /* 0: none */
    const char *text;
    int64_t file;
    uint32_t line;
};
/* A memory instruction of an original kernel, as it stands in the code. */
struct ls_r_code {
    int64_t kernel, module; /* kernel 0: of a function that kernels of the module call */
    const char *function;   /* its linkage name; "" */
    int64_t offset;         /* bytes from the entry of the kernel or function */
    const char *text;
    int64_t file; /* of the line that the compiler gave it */
    uint32_t line, column;
    int64_t site; /* whose numbers count it; 0: none */
    bool joined;  /* the site's numbers are its instructions' own */
};
#define LS_CHAIN_MAX 256
/* Bytes of a name or another text, but for source texts and JSON: more is no name that anybody reads, and it would
 * stand in every line of every form. */
#define LS_TEXT_MOST (1 << 16)

struct ls_results {
    struct ls_arena arena;
    sqlite3 *sql;
    int file;           /* of what is read; keeps writers from changing it */
    char *path;         /* the file that was opened */
    bool partial;       /* the recording did not end normally */
    bool live;          /* it is still going on */
    int64_t steps_left; /* that SQLite may take for this file (ls_results_unbounded) */
    bool raw;           /* texts are as they stand in the file; else escaped (ls_results_text) */
    bool saturated;     /* a sum did not fit 64 bits */
    bool texts_cut;     /* a text was longer than LS_TEXT_MOST */
    bool chains_cut;    /* an inlining chain was longer than LS_CHAIN_MAX */
    int schema_version;
    const char *version, *created, *run_id, *guid; /* of the writer; "" when missing */

    struct ls_r_process *processes;
    struct ls_r_module *modules;
    struct ls_r_file *files;
    struct ls_r_kernel *kernels;
    struct ls_r_frame *frames;
    struct ls_r_site *sites;
    struct ls_r_metric *metrics;
    struct ls_r_handler *handlers; /* of those that said something */
    struct ls_r_dispatches *dispatches;
    struct ls_r_shape *shapes;
    struct ls_r_part *parts; /* in order of sites */
    struct ls_r_note *notes;
    struct ls_r_rows *rows;
    size_t n_processes, n_modules, n_files, n_kernels, n_frames, n_sites, n_metrics, n_dispatches, n_shapes,
        n_parts, n_notes, n_rows, n_handlers;
};

/* Opens read-only and checks that the file is one of ours and that we can read its schema; reads only the
 * meta table. When `path` does not exist but its temporary name does, that is taken. Nothing is written
 * beside the file; what its recorder left half done is put right in a private copy (snapshot.h). NULL with
 * *error. */
struct ls_results *ls_results_open(const char *path, char **error);
/* Whether a process is still writing the file. It holds a lock on it as long as it lives. */
bool ls_results_live(const char *path);
/* What a reader should know although all went well, as one line; NULL: nobody. */
extern void (*ls_results_notice)(const char *text);
/* A file's tables can be made to never end, or its texts to be longer than the file. Reading is bounded by
 * the file's size until this is called: for SQL of the user's own, which may take as long as it takes. */
void ls_results_unbounded(struct ls_results *r);
/* From now on, and in the fields that were read already, texts are as they stand in the file: for output that
 * has escapes of its own (JSON). Otherwise whatever was read can be printed. Longer ones than LS_TEXT_MOST are cut all the
 * same. */
void ls_results_keep_raw(struct ls_results *r);
/* A text of the database or out of its JSON as this reader gives it away; belongs to `r`. NULL stays NULL. Of more than
 * LS_TEXT_MOST bytes only the beginning, with "... (LENGTH bytes, HASH)": both of what the file has. */
const char *ls_results_text(struct ls_results *r, const char *s);
/* Reads the tables above. 0, or -1 with *error. */
int ls_results_load(struct ls_results *r, char **error);
/* *totals is malloc'd, ordered by kernel, site, metric. 0, or -1 with *error. */
int ls_results_totals(struct ls_results *r, struct ls_r_total **totals, size_t *n, char **error);
/* The same of one process; 0: of all. */
int ls_results_totals_of(struct ls_results *r, int64_t process, struct ls_r_total **totals, size_t *n,
                         char **error);
/* *rows is malloc'd, in the order in which they were stored; the texts belong to `r`.
 * 0, or -1 with *error. */
int ls_results_rows(struct ls_results *r, struct ls_r_row **rows, size_t *n, char **error);
/* *calls is malloc'd, ordered by kernel and site; none where the recording is older than that table. 0, or -1
 * with *error. */
int ls_results_calls(struct ls_results *r, struct ls_r_call **calls, size_t *n, char **error);
/* *list is malloc'd, in the order of kernels and functions, and of `together` and sites in each; its texts belong
 * to `r`; none where the recording is older than that table. 0, or -1 with *error. */
int ls_results_vectors(struct ls_results *r, struct ls_r_vector **list, size_t *n, char **error);
/* *list is malloc'd, in the order of kernels and functions, and of offsets in each; its texts belong to `r`.
 * 0, or -1 with *error. */
int ls_results_code(struct ls_results *r, struct ls_r_code **list, size_t *n, char **error);
/* How many references of rows lead to no row: a writer of ours leaves none. 0, or -1 with *error. */
int ls_results_dangling(struct ls_results *r, int64_t *n, char **error);
/* Whether the database has that table: older ones lack some. */
bool ls_results_has_table(const struct ls_results *r, const char *name);
/* Whether values that several dispatches have may stand once in it: then `value` and `dispatch_value` are views. */
bool ls_results_shared(const struct ls_results *r);
void ls_results_close(struct ls_results *r);

const struct ls_r_process *ls_results_process(const struct ls_results *r, int64_t id);
const struct ls_r_module *ls_results_module(const struct ls_results *r, int64_t id);
const struct ls_r_file *ls_results_file(const struct ls_results *r, int64_t id);
const struct ls_r_kernel *ls_results_kernel(const struct ls_results *r, int64_t id);
const struct ls_r_frame *ls_results_frame(const struct ls_results *r, int64_t id);
const struct ls_r_site *ls_results_site(const struct ls_results *r, int64_t id);
const struct ls_r_metric *ls_results_metric(const struct ls_results *r, int64_t id);

/* Bytes of UTF-8's mark that some editors put before a text and that is no part of it. */
#define LS_TEXT_MARK "\xef\xbb\xbf"
static inline size_t ls_mark_length(const char *text, size_t n)
{
    const size_t mark = strlen(LS_TEXT_MARK);
    return n >= mark && !memcmp(text, LS_TEXT_MARK, mark) ? mark : 0;
}

/* Line `number` (from 1) of a file's text without its line end; NULL when there is none. */
const char *ls_file_line(const struct ls_r_file *f, uint32_t number, size_t *length);

/* The error line for a failed SQLite call on `path`. malloc'd. */
char *ls_results_sql_error(const char *path, sqlite3 *sql);

#endif
