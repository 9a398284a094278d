/*
 * sites.h - the site table that the compiler pass writes into the code object, section ".lanescope.sites".
 *
 * The section is a concatenation of self-delimiting blocks, one per compiled module (several after linking
 * with -fgpu-rdc). Little-endian; all offsets are bytes from the start of the block; strings are
 * NUL-terminated in the block's string area, offset 0 of which is the empty string. docs/internals/site-table.md is the prose to this file.
 */
#ifndef LANESCOPE_SITES_H
#define LANESCOPE_SITES_H

#include <stddef.h>
#include <stdint.h>

#define LS_SITES_SECTION ".lanescope.sites"
/* Beside it, for each source file that the table names and that could be read when it was compiled: MD5 in 32
 * hex digits, two blanks, path, line feed. Several modules' lines follow one another. */
#define LS_SOURCES_SECTION ".lanescope.sources"
#define LS_SITES_MAGIC 0x313045544953534cull /* "LSSITE01" */
#define LS_SITES_VERSION 2u
#define LS_NONE 0xffffffffu
/* A clone's name is this prefix and the mangled name of the original. */
#define LS_CLONE_PREFIX "__ls_k_"
/* Symbol of a block: this prefix and the module hash in 16 hex digits; external, protected: it survives
 * --gc-sections and strip. */
#define LS_SITES_SYMBOL_PREFIX "__ls_sites_"
#define LS_SOURCES_SYMBOL_PREFIX "__ls_sources_"
/* Of a kernel that several modules may define: this prefix and the kernel's name; the module hash of the
 * block that its clone belongs to, 8 bytes.
 * Weak like the kernel, so the linker takes both from one module. */
#define LS_MODULE_SYMBOL_PREFIX "__ls_m_"

struct ls_sites {
    uint64_t magic;
    uint32_t version;
    uint32_t bytes; /* of the whole block, a multiple of 8 */
    uint64_t module_hash;
    uint32_t llvm_major;
    uint32_t wire_version;       /* LS_WIRE_VERSION of the device library in the clones */
    uint32_t kernels, n_kernels; /* struct ls_site_kernel[] */
    uint32_t sites, n_sites;     /* struct ls_site[] */
    uint32_t frames, n_frames;   /* struct ls_site_frame[] */
    uint32_t strings, n_strings; /* string area and its size in bytes */
    uint32_t target;             /* string: "gfx90a" */
    uint32_t places;             /* struct ls_site_place[n_sites]; 0: there is none (older compilers) */
};

/* Stands right behind the head in tables of newer compilers: there when `kernels`, the offset of what
 * follows, leaves room for it. */
struct ls_sites_more {
    uint32_t details;                /* struct ls_site_detail[n_sites] */
    uint32_t variables, n_variables; /* struct ls_site_variable[] */
    uint32_t branches, n_branches;   /* struct ls_site_branch[] */
    uint32_t shared;                 /* struct ls_sites_shared; 0: there is none (older compilers) */
    /* Since the first version with `shared`: there when `kernels` leaves room for them, too. */
    uint32_t parts, n_parts; /* struct ls_site_part[], in order of sites */
};

struct ls_sites_shared {
    uint32_t leads, n_leads; /* struct ls_site_lead[], in order of leader and follower */
};

enum ls_kernel_flags {
    LS_KERNEL_INDIRECT_CALLS = 1u << 0, /* it calls through pointers */
    LS_KERNEL_EXTERNAL_CALLS = 1u << 1, /* calls into other modules run originals */
    LS_KERNEL_LEFT_OUT = 1u << 2,       /* it has no clone, as the user chose others (--lanescope-kernels) */
};

struct ls_site_kernel {
    uint32_t name;       /* mangled name of the original */
    uint32_t clone;      /* mangled name of the clone */
    uint32_t ctx_offset; /* byte offset H of the extra pointer in the clone's kernarg block; the original's
                            bytes from H on (its hidden arguments) move by 8 */
    uint32_t flags;      /* enum ls_kernel_flags */
    uint32_t file, line; /* of the definition; line 0 when unknown */
};

enum ls_site_kind {
    LS_SITE_LOAD = 1,
    LS_SITE_STORE = 2,
    LS_SITE_RMW = 3, /* atomicrmw and buffer atomics */
    LS_SITE_CMPXCHG = 4,
    LS_SITE_COPY_READ =
        5, /* source of memcpy/memmove: dynamic or constant length, LS_KIND_LENGTH follows if dynamic */
    LS_SITE_COPY_WRITE = 6,    /* destination of memcpy/memmove/memset */
    LS_SITE_LDS_DMA_READ = 7,  /* global side of a load to LDS */
    LS_SITE_LDS_DMA_WRITE = 8, /* LDS side of a load to LDS */
    LS_SITE_BLOCK = 9,         /* block entry */
    LS_SITE_TIME = 10,
    LS_SITE_IMAGE = 11, /* counted, never observed */
    LS_SITE_OTHER = 12, /* named by `instruction`, never observed */
    LS_SITE_CALL = 13,  /* call through a pointer; reported when it leads to a function without probes */
};
/* Kinds that are no accesses; their probes tell something else. */
#define LS_SITE_NO_ACCESS(kind) ((kind) == LS_SITE_BLOCK || (kind) == LS_SITE_TIME || (kind) == LS_SITE_CALL)

enum ls_site_flags {
    LS_SITE_OBSERVED = 1u << 0, /* a probe reports it; otherwise `reason` tells why not */
    LS_SITE_UNIFORM = 1u << 1,  /* the address is uniform: the original may use a scalar load */
    LS_SITE_MERGED = 1u << 2,   /* made by LoadStoreVectorizer out of several source accesses */
    LS_SITE_VOLATILE = 1u << 3,
    LS_SITE_ATOMIC = 1u << 4,
    LS_SITE_INVARIANT = 1u << 5, /* constant address space or invariant load */
    LS_SITE_ONE_LANE =
        1u << 6, /* an atomic that the compiler gave to one lane, in the clone too; a load beside it */
    LS_SITE_BORROWED =
        1u << 7, /* its frame is that of another instruction, or tells no line: so merged accesses are
                    placed in the machine code, too. Those of its parts are the user's */
};
/* The upper half of a load's flags: bit 16 + k is set if the program does not use bytes k * n to (k + 1) * n
 * of what is loaded, n being LS_SITE_UNUSED_UNIT of the load's bytes. Code generation may leave them out. */
#define LS_SITE_UNUSED_SHIFT 16
#define LS_SITE_UNUSED_UNIT(bytes) (((bytes) + 15) / 16)

enum ls_site_reason {
    LS_REASON_NONE = 0,
    LS_REASON_PRIVATE = 1, /* scratch (address space 5): skipped by default */
    LS_REASON_IMAGE = 2,
    LS_REASON_INLINE_ASM = 3,
    LS_REASON_UNKNOWN_INTRINSIC = 4,
    LS_REASON_FILTERED = 5,       /* excluded by a compile-time filter */
    LS_REASON_NO_LINE = 6,        /* inside a library function without debug information */
    LS_REASON_KERNARG = 7,        /* reads kernel arguments or hidden arguments: no user access */
    LS_REASON_SCALAR = 8,         /* uniform load that the hardware does through the scalar cache */
    LS_REASON_INDIRECT_CALL = 9,  /* no access itself: what it calls through a pointer runs unobserved */
    LS_REASON_EXTERNAL_CALL = 10, /* the same for a function in another module */
};

struct ls_site {
    uint32_t frame;  /* index of the innermost frame; LS_NONE without debug information */
    uint32_t kernel; /* index of the kernel; LS_NONE: in a function that several kernels reach */
    uint8_t kind;    /* enum ls_site_kind */
    uint8_t space; /* LLVM AMDGPU address space: 0 flat, 1 global, 3 LDS, 4 constant, 5 private, 7/8 buffer */
    uint16_t align;       /* known alignment in bytes; 0 unknown */
    uint32_t bytes;       /* per lane; 0: dynamic (LS_KIND_LENGTH) */
    uint32_t flags;       /* enum ls_site_flags */
    uint32_t reason;      /* enum ls_site_reason when not observed */
    uint32_t function;    /* string: linkage name of the function that holds the instruction */
    uint32_t instruction; /* string: IR opcode or intrinsic name, for reports */
};

/*
 * How the messages of a dispatch number the sites: those of functions that several kernels reach, which come first in the table, have
 * their index there; those of its kernel, and of functions that it alone reaches, which stand together in the table, follow.
 * So what is kept for each number grows with the kernel, not with the module. The numbers are of the block that lists the
 * dispatched kernel. All 0: each site has its index, and there are as many as in the table.
 */
struct ls_site_numbers {
    uint32_t n;      /* of numbers */
    uint32_t shared; /* the lowest, which are indices */
    uint32_t skip;   /* what the others' index is more */
};

static inline uint32_t ls_site_of_number(const struct ls_site_numbers *x, uint32_t number)
{
    return number < x->shared ? number : number + x->skip;
}

/* LS_NONE: it has none. */
static inline uint32_t ls_number_of_site(const struct ls_site_numbers *x, uint32_t site)
{
    if (site < x->shared)
        return site;
    const uint32_t number = site - x->skip;
    return number >= x->shared && number < x->n ? number : LS_NONE;
}

/* How to find the instructions of a site in the original's machine code. */
struct ls_site_place {
    uint32_t tag;    /* discriminator in the line table; 0: none. Several sites may have one tag */
    uint32_t merged; /* LS_SITE_MERGED: tag of the first of the accesses it was made of; else 0 */
    uint8_t loops;   /* number of loops around it */
    /* 1 + the fewest barriers of the work-group on any way to it; 0: unknown, or too many */
    uint8_t barriers;
    uint16_t together; /* accesses of a function with the same number are executed equally often: whoever
                          executes one executes the other. 1: as often as the function; 0: unknown */
    uint32_t group;    /* sites of one group are executed together, at constant distances; 0: of none */
    int32_t distance;  /* of its address from the group's, bytes; in all lanes */
    /* in LDS: number of the variable. Distances in a group whose sites have several variables do not count
     * those of the variables' addresses. 0: unknown, or not in LDS */
    uint32_t variable;
};

/* What a source file is to the user; in results databases, too. */
enum ls_file_origin {
    LS_FILE_UNKNOWN = 0, /* an older compiler plugin, or one that was not told the folders */
    LS_FILE_USER = 1,
    LS_FILE_SYSTEM =
        2, /* below a folder that the compiler takes for its own, or for the system's (-isystem) */
};

struct ls_site_frame {
    uint32_t file; /* string: full path where known */
    uint32_t line;
    uint32_t column;
    uint32_t function; /* string: the subprogram's name */
    uint32_t parent;   /* frame into which this one was inlined; LS_NONE at the end of the chain */
    uint32_t origin;   /* enum ls_file_origin of the file; 0 in tables of older compilers */
};

/* What a site's access is about. */
struct ls_site_detail {
    uint32_t variable; /* in LDS, index + 1; 0: unknown, or not in LDS */
    uint32_t branch;   /* the nearest one around it, index + 1; 0: none */
};

/* A variable in LDS as the source declares it. */
struct ls_site_variable {
    uint32_t name;         /* string; "" when unknown */
    uint32_t type;         /* string: of an element: "float" */
    uint32_t element;      /* bytes of an element */
    uint32_t bytes;        /* of the whole; 0: dynamic */
    uint32_t flags;        /* enum ls_variable_flags */
    uint32_t n_dimensions; /* at most LS_DIMENSIONS; 0: no array, its element is itself */
    uint32_t dimension[4]; /* elements, the outermost first; 0: unknown */
};
#define LS_DIMENSIONS 4u
enum ls_variable_flags {
    LS_VARIABLE_STRUCTURE = 1u << 0, /* the elements have fields */
    LS_VARIABLE_ALIGNMENT_SHIFT = 16 /* bits 31:16: alignment of an element in bytes; 0: unknown */
};

/* A conditional branch of which lanes of a wavefront may go different ways,
 * so that some are idle behind it. */
struct ls_site_branch {
    uint32_t frame; /* of the condition; LS_NONE without debug information */
    uint32_t outer; /* the next one around it, index + 1, smaller than its own; 0: none */
    uint32_t flags; /* enum ls_branch_flags */
    uint32_t reserved;
};
enum ls_branch_flags { LS_BRANCH_LOOP = 1u << 0 /* it ends a loop: lanes leave one after the other */ };

/* A site without a probe of its own, whose access is known from that of another site of its basic block: the
 * same lanes execute it, each of them `distance` bytes behind the address that it has there, as one behind the
 * other in the program. A message of the leader stands for both (docs/internals/site-table.md). Both are in one
 * address space and of at most 64 bytes; a leader is nobody's follower, a follower has one leader and a higher
 * number than it, and sites with numbers between the two are in that block, too. */
struct ls_site_lead {
    uint32_t leader, follower; /* indices */
    int32_t distance;
};

/* Of an access that LoadStoreVectorizer made: the place of one of those that it was made of, which the site's own
 * frame is not. */
struct ls_site_part {
    uint32_t site;  /* index */
    uint32_t frame; /* innermost; an index */
};

#if defined(__cplusplus) && !defined(__clang__)
#define _Static_assert static_assert /* clang has both words */
#endif
_Static_assert(sizeof(struct ls_sites) == 72, "sites");
_Static_assert(sizeof(struct ls_sites_more) == 32, "more");
_Static_assert(sizeof(struct ls_sites_shared) == 8, "shared");
_Static_assert(sizeof(struct ls_site_lead) == 12, "lead");
_Static_assert(sizeof(struct ls_site_part) == 8, "part");
_Static_assert(sizeof(struct ls_site_detail) == 8, "detail");
_Static_assert(sizeof(struct ls_site_variable) == 40, "variable");
_Static_assert(sizeof(struct ls_site_branch) == 16, "branch");
_Static_assert(sizeof(struct ls_site_kernel) == 24, "kernel");
_Static_assert(sizeof(struct ls_site) == 32, "site");
_Static_assert(sizeof(struct ls_site_frame) == 24, "frame");
_Static_assert(sizeof(struct ls_site_place) == 24, "place");

/*
 * Discriminators of the original's line table; libdw keeps 24 bits. Without block probes: the tag of an
 * access (struct ls_site_place). With block probes and LS_MARK set:
 *
 *   bits 22:12  index of the block's site + 1
 *   bits 11:0   the tag; 0: no access
 *
 * What does not fit has no mark.
 */
#define LS_MARK 0x800000u
#define LS_MARK_BLOCK_MAX 0x7fdu /* highest index of a site that a mark can hold */
#define LS_MARK_TAG_MAX 0xfffu
#define LS_MARK_OF(site, tag) (LS_MARK | ((uint32_t)(site) + 1u) << 12 | (tag))
#define LS_MARK_TAG(d) ((d) & LS_MARK ? (d) & LS_MARK_TAG_MAX : (d))
#define LS_MARK_BLOCK(d) ((d) & LS_MARK ? ((d) >> 12 & 0x7ffu) - 1u : 0xffffffffu)

#endif
