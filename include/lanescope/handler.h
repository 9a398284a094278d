/*
 * handler.h - the interface between Lanescope and its handlers, the modules that turn observed accesses into
 * results. This file is its manual; docs/handlers.md is the introduction, and lanescope/sdk/ holds what
 * handlers share beyond the interface: options, rows of tables, flat addresses, parts of accesses.
 *
 * A handler is a shared object that exports one object of type `struct lanescope_handler` under the name
 * `lanescope_handler`. It may be written in C11 or C++17.
 *
 *     open                       once per process: options, metrics
 *       dispatch_begin           for each observed dispatch: a state
 *         accesses, events, ...  its batches
 *         merge                  when one dispatch was spread over several states, pairwise
 *       dispatch_end             results, and the end of the state
 *     close                      once
 *
 * Threads. Batches of one state never run concurrently; different states may, on different threads. What they
 * share (`self`) must not be changed between open and close, or be locked.
 *
 * Lifetimes. A pointer that a call hands over is valid during the call, but for these:
 *   struct lanescope_host                 to the end of the process
 *   struct lanescope_dispatch and all     to the return of the dispatch's dispatch_end (merged states: of the
 *   that it points to                     state that they were merged into)
 *   strings of sites, frames, variables   to the end of the process
 * What a handler hands over is copied before the call returns.
 *
 * It is a bug of a handler to
 *   - call HIP or HSA, or write to the program's stdout: results of the program change
 *   - block for long: the GPU waits when the ring is full; a call is left after 30 seconds
 *   - keep a pointer beyond its lifetime
 *   - call host->metric, ratio, view or title outside of open, host->add or row outside of dispatch_end
 *   - use a metric's number in another process or another handler
 *   - read a member behind `size` of a structure that has one
 * A handler that returns an error or crashes is named in the report and not called again; the program goes
 * on.
 *
 * Stability. Members are only ever added at the end of a structure that has a `size`, which tells how much of
 * it is there: a handler that was built with an older header is loaded as it is, and one that was built with
 * this header finds out through `size` what an older Lanescope does not have (the functions below do). Other
 * structures do not change. LANESCOPE_HANDLER_ABI changes when that rule is broken; a module with another
 * number is refused.
 */
#ifndef LANESCOPE_HANDLER_H
#define LANESCOPE_HANDLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LANESCOPE_HANDLER_ABI 1u
#define LANESCOPE_HANDLER_SYMBOL "lanescope_handler"
#define LANESCOPE_NO_SITE 0xffffffffu
/* Begins the definition of the exported object, in C and in C++, visible whatever -fvisibility says:
 *     LANESCOPE_HANDLER = {LANESCOPE_HANDLER_ABI, sizeof(struct lanescope_handler), "name", ...}; */
#ifdef __cplusplus
#define LANESCOPE_HANDLER                                                                                    \
    extern "C" {                                                                                             \
    extern __attribute__((visibility("default"))) const struct lanescope_handler lanescope_handler;          \
    }                                                                                                        \
    const struct lanescope_handler lanescope_handler
#else
#define LANESCOPE_HANDLER                                                                                    \
    extern __attribute__((visibility("default"))) const struct lanescope_handler lanescope_handler;          \
    const struct lanescope_handler lanescope_handler
#endif

/* Where an access goes (LLVM's address spaces of the AMDGPU target). */
enum lanescope_space {
    LANESCOPE_SPACE_FLAT = 0, /* each lane's address tells: lanescope/sdk/aperture.h */
    LANESCOPE_SPACE_GLOBAL = 1,
    LANESCOPE_SPACE_LDS = 3,
    LANESCOPE_SPACE_CONSTANT = 4, /* global memory that the kernel only reads */
    LANESCOPE_SPACE_PRIVATE = 5,
    LANESCOPE_SPACE_BUFFER = 7, /* global memory */
    LANESCOPE_SPACE_BUFFER_RESOURCE = 8,
};

/* One instrumented place of the kernel. Strings live as long as the process. */
struct lanescope_frame {
    const char *file; /* "" when unknown */
    uint32_t line, column;
    const char *function;
};
struct lanescope_site {
    uint8_t kind;   /* enum ls_site_kind of lanescope/sites.h: LS_SITE_LOAD, LS_SITE_STORE, ...; some are no
                       accesses, see LS_SITE_NO_ACCESS */
    uint8_t space;  /* enum lanescope_space */
    uint16_t align; /* bytes, 0 unknown */
    uint32_t bytes; /* per lane; 0: dynamic */
    uint32_t flags; /* enum ls_site_flags */
    /* 0 without debug information; frames[0] is the innermost, the last is in the kernel */
    uint32_t n_frames;
    const struct lanescope_frame *frames;
    const char *instruction; /* IR opcode or intrinsic */
};

/* A variable in LDS as the source declares it. */
struct lanescope_variable {
    const char *name;      /* "" when unknown */
    const char *type;      /* of an element, "float"; "" when unknown */
    uint32_t element;      /* bytes of an element */
    uint32_t bytes;        /* of the whole; 0: dynamic LDS */
    uint32_t structure;    /* 1: the elements have fields */
    uint32_t n_dimensions; /* 0: no array, its element is itself */
    uint32_t dimension[4]; /* elements, the outermost first; 0: unknown */
    uint32_t alignment;    /* of an element, bytes; 0: unknown */
};
/* A branch of which the lanes of a wavefront may go different ways. */
struct lanescope_branch {
    const struct lanescope_frame *where;  /* the condition's place; file "" when unknown */
    const struct lanescope_branch *outer; /* the next one around it; NULL: none */
    uint32_t loop;                        /* 1: the end of a loop */
};
/* What is known of the source around a site; NULL: nothing, or none. */
struct lanescope_detail {
    const struct lanescope_variable *variable; /* in LDS, which the access is in */
    const struct lanescope_branch *branch;     /* the nearest one around the site */
};

/* One access of a hardware instruction that carries out (a part of) a site's access: `bytes` per lane at the
 * site's address + offset. Its cost belongs to site `site`, the one that stands for the whole instruction. */
struct lanescope_pass {
    uint32_t site;
    uint16_t offset;
    uint8_t bytes; /* 1..16, of all accesses that the instruction merges */
    uint8_t first; /* 1: counts the instruction; 0: the second access of one (ds_read2_b32) */
};
enum lanescope_isa_form {
    LANESCOPE_ISA_UNKNOWN = 0, /* not known: a handler may guess from width and alignment */
    LANESCOPE_ISA_VECTOR = 1,  /* the passes; none when another site's pass covers this site's bytes */
    LANESCOPE_ISA_SCALAR = 2,  /* a scalar load (s_load_dword): no vector memory access */
    /* As VECTOR, an atomic that one lane does for all, as the address is the same in all of them: accesses of
     * the site have only that lane, the lowest active one. */
    LANESCOPE_ISA_ONE_LANE = 3,
};
/* What the original kernel's machine code does for a site. */
struct lanescope_isa {
    uint8_t form; /* enum lanescope_isa_form */
    uint8_t n_passes;
    const struct lanescope_pass *passes;
};

/* What executes an instruction, and what memory instructions do. */
enum lanescope_class {
    LANESCOPE_CLASS_UNKNOWN,
    LANESCOPE_CLASS_VALU,
    LANESCOPE_CLASS_MATRIX,
    LANESCOPE_CLASS_SALU,
    LANESCOPE_CLASS_SMEM,      /* scalar memory, and the caches and counters behind it */
    LANESCOPE_CLASS_LDS,       /* memory of the work-group, and exchange of lanes through its crossbar */
    LANESCOPE_CLASS_VMEM_LOAD, /* vector memory: global, flat, buffer, scratch, image */
    LANESCOPE_CLASS_VMEM_STORE,
    LANESCOPE_CLASS_VMEM_ATOMIC,
    LANESCOPE_CLASS_BRANCH, /* and calls, returns, ends of programs */
    LANESCOPE_CLASS_WAIT,   /* waits, barriers, hints of when to go on */
    LANESCOPE_CLASS_OTHER,  /* messages, traps, vector caches */
};
/* Flags of an instruction. */
enum {
    LANESCOPE_CODE_ENDS = 1,    /* never goes on with the next instruction */
    LANESCOPE_CODE_BARRIER = 2, /* waits for the work-group */
};
/* One machine instruction of an original function. */
struct lanescope_instruction {
    uint64_t offset;  /* bytes from the function's first instruction */
    const char *text; /* as disassembled */
    const char *file; /* of the line table; NULL: none */
    uint32_t line, column;
    uint64_t row;       /* offset of the first instruction of the line table's row that says this; ~0: none */
    uint32_t site;      /* block (a site of kind block) whose code it is; LANESCOPE_NO_SITE: not known */
    uint8_t code_class; /* enum lanescope_class; this and `flags` stand in what was padding before */
    uint8_t flags;      /* LANESCOPE_CODE_* */
    int64_t target;     /* of a branch: offset of the target; else -1 */
};
struct lanescope_function {
    const char *name; /* linkage name */
    uint32_t n_instructions;
    const struct lanescope_instruction *instructions;
};

/* Memory that the program allocated (hipMalloc and the like) and had when the dispatch was submitted. */
struct lanescope_allocation {
    uint64_t address, bytes;
    uint64_t number; /* counts allocations of the process from 1, the runtime's own among them */
};

/* One dispatch of an instrumented kernel. Lives from dispatch_begin to dispatch_end. */
struct lanescope_dispatch {
    size_t size;        /* sizeof(struct lanescope_dispatch) of the caller */
    uint64_t id;        /* counts dispatches of the process from 1 */
    const char *kernel; /* demangled */
    const char *mangled;
    const char *arch;      /* "gfx90a" */
    uint32_t lanes;        /* wavefront size */
    uint32_t grid[3];      /* work-items */
    uint32_t workgroup[3]; /* work-items */
    uint32_t lds_bytes;
    uint32_t scratch_bytes; /* per work-item */
    uint32_t n_sites;
    const struct lanescope_site *sites;
    const struct lanescope_isa *isa; /* n_sites; NULL: nothing is known */
    /* With LANESCOPE_NEEDS_CODE, when it could be read: machine code of the kernel (the first one) and of the
     * functions with sites that it may call, as it is without probes. */
    uint32_t n_functions;
    const struct lanescope_function *functions;
    /* With LANESCOPE_NEEDS_ALLOCATIONS: sorted by address, none overlaps another. */
    uint32_t n_allocations;
    const struct lanescope_allocation *allocations;
    const struct lanescope_detail *details; /* n_sites; NULL: an older compiler made the program */
    bool by_instructions; /* the kernel has no probes: the software GPU tells what its instructions access */
};
/* The kernel was compiled without Lanescope, and is observed by its machine instructions: it has none but sites of
 * memory accesses. */
static inline bool lanescope_by_instructions(const struct lanescope_dispatch *d)
{
    return d->size >= offsetof(struct lanescope_dispatch, by_instructions) + sizeof d->by_instructions &&
           d->by_instructions;
}
/* What is known of the source around a site; NULL: nothing. */
static inline const struct lanescope_detail *lanescope_detail_of(const struct lanescope_dispatch *d,
                                                                 uint32_t site)
{
    if (d->size < offsetof(struct lanescope_dispatch, details) + sizeof d->details || !d->details)
        return NULL;
    return &d->details[site];
}
/* What is known of a site's instructions; NULL when nothing is. */
static inline const struct lanescope_isa *lanescope_isa_of(const struct lanescope_dispatch *d, uint32_t site)
{
    if (d->size < offsetof(struct lanescope_dispatch, isa) + sizeof d->isa || !d->isa ||
        d->isa[site].form == LANESCOPE_ISA_UNKNOWN)
        return NULL;
    return &d->isa[site];
}

/* The allocation that contains the address; NULL: not known. Needs LANESCOPE_NEEDS_ALLOCATIONS. */
static inline const struct lanescope_allocation *lanescope_allocation_of(const struct lanescope_dispatch *d,
                                                                         uint64_t address)
{
    uint32_t low = 0, high;
    if (d->size < offsetof(struct lanescope_dispatch, allocations) + sizeof d->allocations)
        return NULL;
    for (high = d->n_allocations; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        const struct lanescope_allocation *a = &d->allocations[middle];
        if (address - a->address < a->bytes)
            return a;
        if (address < a->address)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* Which wavefront sent a batch's element. Shared by many elements. */
struct lanescope_wavefront {
    uint32_t workgroup[3];
    uint32_t wave; /* in its work-group */
    uint32_t hw_id, xcc_id;
    uint32_t sequence; /* of the chunk inside the wavefront: order of chunks */
    uint32_t lanes;
    uint64_t cycles, realtime; /* when the chunk was taken */
};

enum lanescope_pattern {
    LANESCOPE_STRIDED = 1, /* base + lane * stride */
    LANESCOPE_DELTA = 2,   /* base + (int32_t)words[k], k counts active lanes */
    LANESCOPE_WINDOW = 3,  /* base + words[k] */
    LANESCOPE_RAW = 4,     /* words[k] | words[active + k] << 32 */
};

/* One memory access of one wavefront. */
struct lanescope_access {
    uint32_t site;   /* index into dispatch->sites */
    uint8_t pattern; /* enum lanescope_pattern */
    uint8_t active;  /* number of active lanes, 1..64 */
    uint16_t reserved;
    uint64_t exec; /* active lanes */
    uint64_t base;
    int64_t stride;          /* LANESCOPE_STRIDED only */
    const uint32_t *words;   /* other patterns */
    uint64_t length;         /* bytes per lane when the site's `bytes` is 0; else that number */
    const uint32_t *lengths; /* per active lane when they differ; else NULL */
    const struct lanescope_wavefront *wave;
};

/* Writes the address of each active lane to addr[lane]; others are left alone. LDS: byte offset. */
static inline void lanescope_addresses(const struct lanescope_access *a, uint64_t addr[64])
{
    const uint64_t base = a->base;
    const uint32_t *w = a->words;
    unsigned lane, k = 0;
    /* Most accesses have all lanes, whose words are in their order: loops without conditions. */
    if (!~a->exec && a->pattern == LANESCOPE_STRIDED) {
        for (lane = 0; lane < 64; lane++)
            addr[lane] = base + (uint64_t)a->stride * lane;
        return;
    }
    if (!~a->exec && a->pattern == LANESCOPE_DELTA) {
        for (lane = 0; lane < 64; lane++)
            addr[lane] = base + (uint64_t)(int64_t)(int32_t)w[lane];
        return;
    }
    for (uint64_t m = a->exec; m; m &= m - 1, k++) {
        lane = (unsigned)__builtin_ctzll(m);
        switch (a->pattern) {
        case LANESCOPE_STRIDED:
            addr[lane] = base + (uint64_t)a->stride * lane;
            break;
        case LANESCOPE_DELTA:
            addr[lane] = base + (uint64_t)(int64_t)(int32_t)w[k];
            break;
        case LANESCOPE_WINDOW:
            addr[lane] = base + w[k];
            break;
        default:
            addr[lane] = (uint64_t)w[k] | (uint64_t)w[a->active + k] << 32;
            break;
        }
    }
}

enum lanescope_event_kind {
    LANESCOPE_EVENT_BLOCK = 6, /* a wavefront entered the block */
    LANESCOPE_EVENT_TIME = 7,  /* a time interval */
    LANESCOPE_EVENT_END = 9,   /* a wavefront ended; with LANESCOPE_NEEDS_LIVES */
};

struct lanescope_event {
    uint32_t site; /* LANESCOPE_NO_SITE for a wavefront's end */
    uint32_t kind; /* enum lanescope_event_kind */
    uint64_t exec;
    uint64_t start;    /* shader cycles; of a wavefront: ticks of 10 ns, one clock for the whole device */
    uint64_t duration; /* in the same unit; 0 for a block entry */
    const struct lanescope_wavefront *wave;
};

/* Summary mode: what all those accesses of a site cost together that the GPU reduced itself, because no shape
 * describes them. One of these for each pass of hardware instructions that may carry out the site's access
 * (struct lanescope_pass, by offset and bytes), and, when it is not known which do, for pieces of up to 16
 * (LDS also: 8) bytes. Of accesses of more than 64 bytes, or of a length known at run time only (bytes of the
 * site: 0), offset 0 stands for the first piece, offset 16 for all others, and bytes for the width that the
 * piece is served as: in LDS the next one of 4, 8, 12, 16. */
struct lanescope_reduced {
    uint32_t site;
    uint16_t offset;
    uint8_t bytes; /* per lane */
    uint8_t lds;   /* 1: the lanes whose access went to LDS (flat: not all of them), 0: to global memory */
    uint64_t executions, lanes;
    uint64_t index_cycles, conflict_cycles, address_conflict; /* LDS: as models/lds_model.h */
    uint64_t distinct_bytes, lines_64, lines_128, needed_64, needed_128, requests; /* global memory, by size
                                                                                      of the line */
};

struct lanescope_results; /* opaque: where dispatch_end puts its numbers */

/* A number that the report derives from summed ones: scale * (a - b) / (c - d); 0 when the divisor is 0.
 * Metric numbers as returned by host->metric; 0 stands for "none". */
struct lanescope_ratio {
    const char *name, *unit, *description;
    double scale;
    uint32_t a, b, c, d;
};

/* What a larger value of a metric means. */
enum lanescope_direction {
    LANESCOPE_MORE_IS_BETTER = -1,
    LANESCOPE_MORE_IS_NEITHER = 0, /* how much was done, not how well */
    LANESCOPE_MORE_IS_WORSE = 1,
};
/* When a report shows a metric as a column of its handler's table. */
enum lanescope_show {
    LANESCOPE_SHOW_ALWAYS = 0,
    LANESCOPE_SHOW_COST = 1,   /* always, where it is not zero */
    LANESCOPE_SHOW_DETAIL = 2, /* where there is room */
    LANESCOPE_SHOW_RARE = 3,   /* where it is not zero and there is room */
    LANESCOPE_SHOW_EXPORT = 4, /* in JSON and CSV only */
};
/* What a metric is to reports, beyond a number in a column. A handler has at most one metric of a role, but
 * for those that say otherwise. */
enum lanescope_role {
    LANESCOPE_ROLE_NONE = 0,
    LANESCOPE_ROLE_EXECUTIONS = 1, /* how often */
    LANESCOPE_ROLE_LANES = 2, /* active lanes of all executions: reports show the mean of one. A handler with
                                      both counts accesses: a line's are the sum over such handlers; of
                                      those that count the same ones, one */
    LANESCOPE_ROLE_WHOLE = 3, /* all cycles, which the costs are parts of: more of a part and less of the
                                      whole is no loss. Without it the sum of what lines stand in order of */
    LANESCOPE_ROLE_CONTENTION = 4, /* lanes of atomics that wait for each other; any number of metrics */
    LANESCOPE_ROLE_COALESCING =
        5,                      /* percent of the fewest requests. Lines may be more than needed at 100 % */
    LANESCOPE_ROLE_TIME = 6,    /* a time, which on a software GPU says nothing about a GPU. Any number: lines
                                      stand in order of the first one when no metric has an excess */
    LANESCOPE_ROLE_TIMED = 7,   /* of the executions, those that the times are of */
    LANESCOPE_ROLE_ASSUMED = 8, /* of the whole, what rests on facts that nobody measured on this GPU */
};
/* How reports read a metric or a ratio; zero in all fields but `size`: an ordinary column. */
struct lanescope_view {
    size_t size;       /* sizeof(struct lanescope_view) */
    const char *title; /* short one, for the head of the column; NULL: the metric's name */
    int direction;     /* enum lanescope_direction: what `diff` calls worse */
    unsigned show;     /* enum lanescope_show */
    /* Lines stand in order of the sum of excess * value, which is what they do beyond need: 1 for work that
     * was done, -1 for the part of it that was needed, 0 for all others. In about cycles of the memory path,
     * as kernels are ordered by the sums of all handlers that say this. */
    int excess;
    unsigned cost; /* 1: `diff` compares it unless the user names others */
    unsigned role; /* enum lanescope_role */
};

enum lanescope_log_level {
    LANESCOPE_LOG_ERROR = 0,
    LANESCOPE_LOG_WARNING = 1,
    LANESCOPE_LOG_INFORMATION = 2,
    LANESCOPE_LOG_DEBUG = 3,
};

/* What Lanescope offers to a handler; lives as long as the process. */
struct lanescope_host {
    size_t size;
    uint32_t abi;
    void *user;
    /* One line to the log (stderr, prefixed); without a line feed. level: enum lanescope_log_level. In any
     * call. */
    void (*log)(const struct lanescope_host *h, int level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    /* Registers a metric (call in open). Values of one site add up over dispatches. Returns its number, > 0,
     * or 0 when out of memory. Strings are copied. */
    uint32_t (*metric)(const struct lanescope_host *h, const char *name, const char *unit,
                       const char *description);
    /* Registers a ratio (call in open). 0, -ENOMEM, or -EINVAL: an operand is no metric. */
    int (*ratio)(const struct lanescope_host *h, const struct lanescope_ratio *r);
    /* Adds to the value of (dispatch, site, metric). Site LANESCOPE_NO_SITE: of the whole dispatch. */
    void (*add)(struct lanescope_results *r, uint32_t site, uint32_t metric, int64_t value);
    /* A row of a handler's own table: its name and a JSON object, which lanescope/sdk/rows.h writes. */
    void (*row)(struct lanescope_results *r, const char *table, uint32_t site, const char *json);
    /* Since 0.2; call them through lanescope_set_view and lanescope_set_title, which do nothing in an older
     * Lanescope. Strings are copied. 0 or -errno: -ENOENT when the handler has no such metric or ratio. */
    int (*view)(const struct lanescope_host *h, const char *name, const struct lanescope_view *v);
    int (*title)(const struct lanescope_host *h, const char *title, const char *clean);
};

/* In open: how reports read the handler's metric or ratio `name`, which it has registered. Columns stand in
 * the order of these calls. A handler that never calls this gets its first metric as the one that lines are
 * sorted by, `diff` compares, and more of is worse. */
static inline int lanescope_set_view(const struct lanescope_host *h, const char *name,
                                     const struct lanescope_view *v)
{
    if (h->size < offsetof(struct lanescope_host, view) + sizeof h->view)
        return 0;
    return h->view(h, name, v);
}
/* In open: the title of the handler's table, and what its summary says when no line does more than it needs
 * (NULL: that the first metric is 0). */
static inline int lanescope_set_title(const struct lanescope_host *h, const char *title, const char *clean)
{
    if (h->size < offsetof(struct lanescope_host, title) + sizeof h->title)
        return 0;
    return h->title(h, title, clean);
}

/* What a handler exports. Members that are NULL are not called; name, dispatch_begin and dispatch_end must be
 * set. */
struct lanescope_handler {
    uint32_t abi;  /* LANESCOPE_HANDLER_ABI */
    uint32_t size; /* sizeof(struct lanescope_handler) */
    const char *name, *version, *description;
    /* 0 or a negative errno, after which the handler is not used. options: text behind "name:" on the command
     * line, or "". *self is handed to the others. */
    int (*open)(const struct lanescope_host *host, const char *options, void **self);
    /* 0 and *state, which is the handler's to free; or a negative errno, which declines the dispatch: it is
     * recorded without numbers of this handler. */
    int (*dispatch_begin)(void *self, const struct lanescope_dispatch *d, void **state);
    /* Elements of one batch come from one dispatch, in each wavefront's program order. Either may be NULL. */
    void (*accesses)(void *state, const struct lanescope_access *a, size_t n);
    void (*events)(void *state, const struct lanescope_event *e, size_t n);
    /* Adds `other` to `state` and frees `other`. With it, several threads may decode a dispatch: dispatch_begin is
     * called for each, perhaps while another state takes accesses, and all of a wavefront's elements go to one state.
     * NULL: the handler gets one state per dispatch only, on one thread. */
    void (*merge)(void *state, void *other);
    /* Reports through host->add and host->row, then frees the state. */
    void (*dispatch_end)(void *state, struct lanescope_results *r);
    /* Frees self. Not called when open failed. */
    void (*close)(void *self);
    /* Summary mode: `count` accesses of the shape *a. Its base is right modulo 128 (LDS: 4) only, and `wave`
     * is NULL. NULL: the handler needs every access and is refused in summary mode. */
    void (*repeated)(void *state, const struct lanescope_access *a, uint64_t count);
    uint32_t needs; /* enum lanescope_needs */
    /* Summary mode: accesses that were reduced on the GPU. NULL: all accesses of irregular addresses come
     * through `accesses`, as messages. */
    void (*reduced)(void *state, const struct lanescope_reduced *r);
};

/* `needs`: what costs something to provide. */
enum lanescope_needs {
    LANESCOPE_NEEDS_LIVES = 1u << 0,       /* events when wavefronts end */
    LANESCOPE_NEEDS_CODE = 1u << 1,        /* lanescope_dispatch.functions */
    LANESCOPE_NEEDS_ALLOCATIONS = 1u << 2, /* lanescope_dispatch.allocations */
    /* What it says depends on the accesses and on lanescope_dispatch.arch, and on nothing else of the GPU. `run --as`
     * opens it once more for each GPU that it is to price the same accesses on; `arch` then names that one. */
    LANESCOPE_PRICES_ACCESSES = 1u << 3,
};

#ifdef __cplusplus
}
#endif

#endif
