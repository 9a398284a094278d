/*
 * writer.h - writes one process's results database. docs/database.md lists every table and column.
 *
 * The file is written under a temporary name in the same directory and renamed when ls_db_finish succeeds.
 * What was committed stays valid at any moment (kill -9 leaves a readable file whose meta table says state
 * 'partial'; the next `lanescope report` accepts it under its temporary name). All functions are for one
 * thread at a time.
 *
 * Errors: functions return an id (> 0) or 0, or -1; the first error is kept, later calls do nothing and
 * return the error too, and ls_db_error tells it. A full disk therefore never stops the profiled program.
 */
#ifndef RESULTS_WRITER_H
#define RESULTS_WRITER_H

#include "common/stream.h"
#include "lanescope/defaults.h"
#include "results/file/metric_view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ls_db;

struct ls_db_process {
    int64_t pid, ppid;
    const char *const *argv; /* NULL-terminated */
    const char *hostname, *cwd;
    const char *gpu;     /* "soft:gfx90a" or "hw" */
    const char *runtime; /* e.g. "ROCr 1.1" */
    uint64_t start_ns;   /* CLOCK_BOOTTIME */
    const char *options_json;
    const char *rank; /* among the processes of a parallel program, as its launcher says; NULL: none */
    enum ls_sources sources;
};
struct ls_db_agent {
    uint64_t handle;
    const char *arch, *name;
    uint32_t compute_units, lanes;
};
struct ls_db_code_object {
    int64_t agent;   /* id */
    const char *uri; /* or NULL */
    uint64_t bytes, load_base;
    bool instrumented;    /* carries a site table */
    const char *compiler; /* what its run-time compiler says of it (docs/triton.md), or NULL */
};
struct ls_db_module { /* one site table block */
    int64_t code_object;
    uint64_t hash;
    uint32_t llvm_major;
    const char *target;
};
struct ls_db_kernel {
    int64_t code_object;
    int64_t module; /* 0: not instrumented */
    const char *mangled, *demangled;
    const char *file;
    uint32_t line;
    uint32_t lds_bytes, scratch_bytes, sgprs, vgprs, agprs;              /* of the original */
    uint32_t clone_scratch_bytes, clone_sgprs, clone_vgprs, clone_agprs; /* 0 when not instrumented */
    const char *not_instrumented;                                        /* reason, or NULL */
    uint32_t lanes;                                                      /* of its wavefronts; 0: unknown */
};
struct ls_db_frame {
    const char *file;
    uint32_t line, column;
    const char *function;
    uint32_t origin; /* of the file: enum ls_file_origin of lanescope/sites.h */
};
struct ls_db_site {
    int64_t module;
    uint32_t index; /* in the module's table */
    int64_t kernel; /* 0: in a function that several kernels reach */
    uint8_t kind, space;
    uint32_t bytes, align, flags, reason; /* as in lanescope/sites.h */
    const char *instruction, *function;
    const struct ls_db_frame *frames; /* innermost first */
    size_t n_frames;
    const char *isa;     /* hardware instruction(s) of the original kernel on that line, or NULL: unknown */
    uint32_t isa_merged; /* 1: the original merges this access with another one (read2/write2) */
    bool alone;          /* it is an instruction of a kernel without probes */
    uint64_t offset;     /* then: from the first one of its function */
};
struct ls_db_instruction { /* memory instruction of an original kernel or function */
    int64_t kernel;        /* 0: of a function that kernels call */
    const char *function;  /* its linkage name; NULL: a kernel's */
    int64_t module;        /* whose function it is; 0 when there is none */
    uint64_t offset;       /* from the first instruction of the kernel or function */
    const char *text;
    const char *file; /* or NULL */
    uint32_t line, column;
    bool vector;       /* accesses LDS, global or flat memory */
    uint32_t together; /* then: those of a function with the same number are executed equally often */
};
struct ls_db_metric {
    const char *handler, *name, *unit, *description;
    struct ls_metric_view view;
    /* derived metrics only (is_ratio): scale * (a - b) / (c - d), ids of metrics, 0 none */
    bool is_ratio;
    double scale;
    int64_t a, b, c, d;
};
struct ls_db_value {
    int64_t site; /* 0: of the whole dispatch */
    int64_t metric, value;
};
struct ls_db_dispatch {
    uint64_t number; /* from 1, all dispatches of the process, observed or not */
    int64_t kernel, agent;
    uint64_t queue;
    uint32_t grid[3], workgroup[3];
    uint32_t lds_bytes, scratch_bytes;
    uint64_t start_ns, end_ns; /* CLOCK_BOOTTIME; of what ran: the clone when observed */
    uint64_t submit_ns;        /* when it was given to its queue; 0: unknown */
    int64_t thread;            /* the system's number of the thread that did; 0: unknown */
    struct ls_stream stream;   /* that it worked for */
    bool observed;
    bool alone;               /* without probes, by the software GPU */
    const char *not_observed; /* reason, or NULL */
    uint64_t chunks, bytes, messages, bad, dropped;
    uint64_t unlisted; /* with `alone`: accesses by code that no site stands for */
    const struct ls_db_value
        *values; /* all that it has: stored once where an earlier dispatch has the same */
    size_t n_values;
};
struct ls_db_copy {
    uint64_t number;  /* from 1, all copies of the process */
    int64_t from, to; /* agents; 0: host memory */
    uint64_t bytes;
    uint64_t start_ns, end_ns; /* CLOCK_BOOTTIME; 0: unknown */
    uint64_t submit_ns;        /* when the runtime was asked for it; 0: unknown */
    int64_t thread;            /* the system's number of the thread that did; 0: unknown */
    struct ls_stream stream;   /* that it worked for */
};
struct ls_db_marker {
    int kind; /* 0 mark, 1 pushed range, 2 started range */
    int64_t thread;
    uint64_t start_ns, end_ns; /* CLOCK_BOOTTIME; end 0: the range was never ended */
    const char *text;
};

/* Opens <path>.partial and writes the schema; creates the directories of `path`. NULL on failure with *error
 * (malloc'd: file, cause, fix). Where `path` is in use by a live process, or holds a database of this very
 * run (LANESCOPE_RUN_ID in the environment), or anything that is no results database, <path less
 * .db>.<pid>.db is taken instead; else it is replaced. The file can be read by its owner only until it is
 * finished. */
struct ls_db *ls_db_create(const char *path, const struct ls_db_process *process, char **error);
int64_t ls_db_add_agent(struct ls_db *db, const struct ls_db_agent *a);
int64_t ls_db_add_code_object(struct ls_db *db, const struct ls_db_code_object *c);
/* The MD5 (32 hex digits) that a source file had when it was compiled; of a file that something added before
 * names. Code objects may differ in it. */
int ls_db_add_source_sum(struct ls_db *db, const char *path, const char *md5);
/* The text of a source that is no file: a cell of a notebook, a module in an archive. It goes nowhere when sources are not stored. Nobody
 * knows who may read it, so only the owner can read the database then. The first text of a path stays. */
int ls_db_add_source_text(struct ls_db *db, const char *path, const char *text);
int64_t ls_db_add_module(struct ls_db *db, const struct ls_db_module *m);
int64_t ls_db_add_kernel(struct ls_db *db, const struct ls_db_kernel *k);
int64_t ls_db_add_site(struct ls_db *db, const struct ls_db_site *s);
/* Where another one of the accesses stands that the compiler made the site of; number: from 0, in their order; frames: the
 * innermost first, at least one. */
int ls_db_add_part(struct ls_db *db, int64_t site, uint32_t number, const struct ls_db_frame *frames,
                   size_t n);
/* What became known of a site's hardware instructions after its row was written. */
struct ls_db_join {
    const char *isa; /* or NULL */
    uint32_t merged, state, flags, reason;
    const struct ls_db_frame *frame; /* a place for a site that has none; or NULL */
    int64_t counted_at; /* merged: the site that counts the instruction, when it is another one; else 0 */
};
int ls_db_join_site(struct ls_db *db, int64_t site, const struct ls_db_join *j);
/* The site has numbers that are estimates, and why. The first reason stays. */
int ls_db_estimate_site(struct ls_db *db, int64_t site, const char *reason);
int64_t ls_db_add_instruction(struct ls_db *db, const struct ls_db_instruction *i);
/* The site whose numbers count the instruction; 0: none. tells: the site's executions, divided by how many
 * instructions it counts, are the instruction's. */
int ls_db_join_instruction(struct ls_db *db, int64_t instruction, int64_t site, bool tells);
/* The title of the handler's table and what its summary says when nothing is wrong (NULL: the usual). 0 or
 * -1. */
int ls_db_add_handler(struct ls_db *db, const char *name, const char *title, const char *clean);
int64_t ls_db_add_metric(struct ls_db *db, const struct ls_db_metric *m);
int64_t ls_db_add_dispatch(struct ls_db *db, const struct ls_db_dispatch *d);
/* site 0: of the whole dispatch. Of one that was added without values, as others may share them. */
int ls_db_add_value(struct ls_db *db, int64_t dispatch, int64_t site, int64_t metric, int64_t value);
int ls_db_add_row(struct ls_db *db, int64_t dispatch, int64_t site, const char *handler, const char *table,
                  const char *json);
/* A call through a pointer that led to functions without probes:
 * executions by wavefronts, and their lanes. */
int ls_db_add_call(struct ls_db *db, int64_t dispatch, int64_t site, uint64_t executions, uint64_t lanes);
int64_t ls_db_add_copy(struct ls_db *db, const struct ls_db_copy *c);
int64_t ls_db_add_marker(struct ls_db *db, const struct ls_db_marker *m);
/* A line for the report's "notes": what went wrong or was left out.
 * level 0 error, 1 warning, 2 information. */
int ls_db_add_note(struct ls_db *db, int level, const char *text);
/* What the processor spent on decoding and recording, for meta. */
void ls_db_set_time(struct ls_db *db, uint64_t ns);
/* The calling thread is one of ours: signals are blocked there for good. So rows that it adds need not block SIGXFSZ
 * one by one, which would cost more than the row. */
void ls_db_on_own_thread(void);
/* Makes what was added so far durable. Call after each dispatch, or every few of them. Never waits: while
 * another program reads the file, nothing can be committed; then rows are kept in memory, ls_db_waiting is
 * true, and a later call commits them, also when nothing was added. */
int ls_db_commit(struct ls_db *db);
bool ls_db_waiting(const struct ls_db *db);
/* Stores the text of the source files that sites name, where it can be read (once, at the end), the end time
 * and state ('complete', or 'partial' when !complete), closes, gives the file a mode no wider than that of
 * any source in it and than the umask, renames. Readers delay it for a second at most. Frees db (except in a
 * forked child, where nothing of the parent's may be touched). 0, or -1 with *error. */
int ls_db_finish(struct ls_db *db, bool complete, char **error);
/* NULL when all went well so far. */
const char *ls_db_error(const struct ls_db *db);

#endif
