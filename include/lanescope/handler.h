/*
 * handler.h - the interface between Lanescope and its handlers, the modules that turn observed accesses into
 * results.
 *
 * A handler is a shared object that exports one object of type `struct lanescope_handler` under the name
 * LANESCOPE_HANDLER_SYMBOL ("lanescope_handler"). The built-in handlers use this header and nothing else.
 *
 * Life of a handler: open once per process; then for each observed dispatch dispatch_begin, any number of
 * batches, dispatch_end; close at the end. Batches of one state never run concurrently; different states may,
 * on different threads. One dispatch may be spread over several states, which are merged pairwise before
 * dispatch_end.
 *
 * What a handler must not do: call HIP or HSA, write to the program's stdout, keep pointers that it was given
 * beyond the call (exceptions are noted), block for long: the GPU waits when the ring is full. A handler that
 * returns an error or crashes is named in the report and not called again; the program goes on.
 *
 * Stability: fields are only ever added at the end of a structure, and `size` tells how much of it is there.
 * LANESCOPE_HANDLER_ABI changes when that rule is broken; a module with another number is refused.
 */
#ifndef LANESCOPE_HANDLER_H
#define LANESCOPE_HANDLER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LANESCOPE_HANDLER_ABI 1u
#define LANESCOPE_HANDLER_SYMBOL "lanescope_handler"
#define LANESCOPE_NO_SITE 0xffffffffu

/* One instrumented place of the kernel. Strings live as long as the process. */
struct lanescope_frame {
    const char *file; /* "" when unknown */
    uint32_t line, column;
    const char *function;
};
struct lanescope_site {
    uint8_t kind;   /* enum ls_site_kind of lanescope/sites.h: 1 load, 2 store, 3 rmw, 4 cmpxchg, ...;
                       some are no accesses, see LS_SITE_NO_ACCESS */
    uint8_t space;  /* 0 flat, 1 global, 3 LDS, 4 constant, 5 private, 7 and 8 buffer */
    uint16_t align; /* bytes, 0 unknown */
    uint32_t bytes; /* per lane; 0: dynamic */
    uint32_t flags; /* enum ls_site_flags */
    uint32_t
        n_frames; /* 0 without debug information; frames[0] is the innermost, the last is in the kernel */
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

/* One machine instruction of an original function. */
struct lanescope_instruction {
    uint64_t offset;  /* bytes from the function's first instruction */
    const char *text; /* as disassembled */
    const char *file; /* of the line table; NULL: none */
    uint32_t line, column;
    uint64_t row;   /* offset of the first instruction of the line table's row that says this; ~0: none */
    uint32_t site;  /* block (a site of kind block) whose code it is; LANESCOPE_NO_SITE: not known */
    int64_t target; /* of a branch: offset of the target; else -1 */
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
};
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
    unsigned k = 0;
    for (uint64_t m = a->exec; m; m &= m - 1, k++) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        switch (a->pattern) {
        case LANESCOPE_STRIDED:
            addr[lane] = a->base + (uint64_t)(a->stride * (int64_t)lane);
            break;
        case LANESCOPE_DELTA:
            addr[lane] = a->base + (uint64_t)(int64_t)(int32_t)a->words[k];
            break;
        case LANESCOPE_WINDOW:
            addr[lane] = a->base + a->words[k];
            break;
        default:
            addr[lane] = (uint64_t)a->words[k] | (uint64_t)a->words[a->active + k] << 32;
            break;
        }
    }
}

/* A block entry, a time interval, or the end of one wavefront. */
struct lanescope_event {
    uint32_t site; /* LANESCOPE_NO_SITE for a wavefront's end */
    uint32_t kind; /* 6 block entry, 7 time interval, 9 wavefront's end (enum ls_kind of lanescope/wire.h) */
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

/* What Lanescope offers to a handler; lives as long as the process. */
struct lanescope_host {
    size_t size;
    uint32_t abi;
    void *user;
    /* One line to the log (stderr, prefixed). level: 0 error, 1 warning, 2 information, 3 debug. */
    void (*log)(const struct lanescope_host *h, int level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    /* Registers a metric (call in open). Values of one site add up over dispatches. Returns its number, > 0,
     * or 0 when out of memory. Strings are copied. */
    uint32_t (*metric)(const struct lanescope_host *h, const char *name, const char *unit,
                       const char *description);
    int (*ratio)(const struct lanescope_host *h, const struct lanescope_ratio *r); /* 0 or -errno */
    /* Adds to the value of (dispatch, site, metric). Site LANESCOPE_NO_SITE: of the whole dispatch. */
    void (*add)(struct lanescope_results *r, uint32_t site, uint32_t metric, int64_t value);
    /* A free-form row of a handler's own table: `table` and JSON text. */
    void (*row)(struct lanescope_results *r, const char *table, uint32_t site, const char *json);
};

struct lanescope_handler {
    uint32_t abi;  /* LANESCOPE_HANDLER_ABI */
    uint32_t size; /* sizeof(struct lanescope_handler) */
    const char *name, *version, *description;
    /* 0 or a negative errno. options: text behind "name:" on the command line, or "". *self is handed to the
     * others. */
    int (*open)(const struct lanescope_host *host, const char *options, void **self);
    int (*dispatch_begin)(void *self, const struct lanescope_dispatch *d, void **state);
    /* Elements of one batch come from one dispatch, in each wavefront's program order. Either may be NULL. */
    void (*accesses)(void *state, const struct lanescope_access *a, size_t n);
    void (*events)(void *state, const struct lanescope_event *e, size_t n);
    /* Adds `other` to `state` and frees `other`. NULL: the handler gets one state per dispatch only. */
    void (*merge)(void *state, void *other);
    /* Reports through host->add and host->row, then frees the state. */
    void (*dispatch_end)(void *state, struct lanescope_results *r);
    void (*close)(void *self);
    /* Summary mode: `count` accesses of the shape *a. Its base is right modulo 128 (LDS: 4) only, and `wave`
     * is NULL. NULL: the handler needs every access and is refused in summary mode. */
    void (*repeated)(void *state, const struct lanescope_access *a, uint64_t count);
    uint32_t needs; /* enum lanescope_needs: what is only provided on request */
    /* Summary mode: accesses that were reduced on the GPU. NULL: all accesses of irregular addresses come
     * through `accesses`, as messages. */
    void (*reduced)(void *state, const struct lanescope_reduced *r);
};

enum lanescope_needs {
    LANESCOPE_NEEDS_LIVES = 1u << 0,       /* events when wavefronts end */
    LANESCOPE_NEEDS_CODE = 1u << 1,        /* lanescope_dispatch.functions */
    LANESCOPE_NEEDS_ALLOCATIONS = 1u << 2, /* lanescope_dispatch.allocations */
};

#ifdef __cplusplus
}
#endif

#endif
