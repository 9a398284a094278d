/*
 * wire.h - the format between the probes on the GPU and the host. Read by the device library and by the host;
 * every offset is asserted below. docs/internals/wire-format.md is the prose to this file.
 *
 * Memory. Per agent there is one ring: `n_chunks` chunks of equal, power-of-two size in fine-grained host
 * memory, and two circular lists of chunk numbers, `free` and `done`. A wavefront takes a ticket of the free
 * list (one agent-scope atomic add on ring->free_head), waits until that entry is nonzero and takes the chunk
 * with a system-scope atomic exchange by 0: when tickets have gone round the list, several wavefronts may
 * wait for one entry, and each chunk must have one taker (which of them is all the same). It fills the chunk
 * and hands it over through the done list: a ticket of ring->done_head, then where its messages end (LS_DONE) is
 * stored in that entry with release at system scope. The host consumes done entries in ticket order, zeroes them,
 * and puts the chunk into the free list's next entry once that entry is zero. Both lists have at least n_chunks
 * entries, so an entry is never written twice before it is read. Nobody holds a lock, a held chunk blocks no
 * other chunk, and a wave waits only when all chunks are held or undrained.
 *
 * Holding. With LS_CTX_HOLD a wavefront keeps its chunk between messages and hands it over when it is full or
 * when the wavefront ends. The host sets it only when there are more chunks than wavefronts can be resident;
 * otherwise each message is handed over alone, so that a wavefront never holds a chunk while it waits for
 * another wavefront.
 */
#ifndef LANESCOPE_WIRE_H
#define LANESCOPE_WIRE_H

#if defined(__OPENCL_VERSION__)
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;
typedef int int32_t;
typedef long int64_t;
#else
#include <stddef.h>
#include <stdint.h>
#endif

#define LS_WIRE_VERSION 9u
#define LS_CTX_MAGIC 0x5843534cu   /* "LSCX" */
#define LS_CHUNK_MAGIC 0x4b43534cu /* "LSCK" */

/* One per agent, written by both sides; hot words lie in cache lines of their own. */
struct ls_ring {
    uint32_t done_head; /* device: tickets taken of the done list */
    uint32_t pad0[31];
    uint32_t free_head; /* device: tickets taken of the free list */
    uint32_t pad1[31];
    uint32_t heartbeat; /* host: counts up at least ten times a second while it drains */
    uint32_t closed; /* nonzero: probes drop and count. 1: the host stopped; 2: a wavefront gave up on it */
    uint32_t free_tail; /* host: entries put into the free list so far (for drop-on-full) */
    uint32_t pad2[29];
    uint32_t pad3[32];
};

enum ls_ctx_flags {
    LS_CTX_HOLD = 1u << 0,    /* keep the chunk between messages (see above) */
    LS_CTX_DROP = 1u << 1,    /* ring full: drop and count instead of waiting */
    LS_CTX_FILTER = 1u << 2,  /* work-group bounds below apply */
    LS_CTX_SAMPLE = 1u << 3,  /* only wavefronts whose flat number % sample_every == 0 report */
    LS_CTX_SUMMARY = 1u << 4, /* accesses are counted in `summary`; messages for what cannot be */
    LS_CTX_LIVES = 1u << 5,   /* each wavefront that reports sends LS_KIND_WAVE when it ends */
    /* the ring may lie in memory that the L2 keeps: write it back to hand over */
    LS_CTX_WRITE_BACK = 1u << 6,
    /* with LS_CTX_SUMMARY and LS_CTX_HOLD: a wavefront sends what fits into LS_FEW_BYTES, and counts only what follows */
    LS_CTX_FEW = 1u << 7,
};

/* One per dispatch; all but `dropped` and `unlisted` is constant while it runs.
 * The clone's extra kernel argument points to it.
 *
 * What a wavefront that begins or ends asks for are the 16 words from `slot` on, what numbers it the 8 behind them:
 * one scalar load each. */
struct ls_ctx {
    uint32_t magic;
    uint32_t version;
    uint32_t slot; /* goes into chunk headers: the host's number of this dispatch */
    uint32_t flags;
    uint64_t ring;  /* struct ls_ring * */
    uint64_t free;  /* uint32_t[list_mask + 1] */
    uint64_t waves; /* struct ls_wave[number of wavefronts of the dispatch], device memory, uninitialised */
    uint64_t first_cursor; /* LS_FIRST_CURSOR: with n chunks' bytes added the cursor in chunk number n - 1 */
    uint32_t chunk_bytes;  /* header included: a power of two, 1 KiB to 64 KiB */
    uint32_t list_mask;    /* entries of each list - 1; a power of two - 1 */
    uint64_t done;         /* uint32_t[list_mask + 1] */
    uint64_t chunks;       /* first chunk */
    uint32_t n_workgroups[3];
    uint32_t waves_per_workgroup;
    uint32_t workgroup_size[3];
    uint32_t sample_every;
    uint32_t filter_lo[3]; /* work-group ids lo <= id < hi report */
    uint32_t filter_hi[3];
    /* give up when the heartbeat stood still for so many looks at it, one at 64 polls of a free entry */
    uint32_t dead_after;
    uint32_t summary_sites; /* with LS_CTX_SUMMARY: sites that `summary` has room for */
    uint32_t n_waves;       /* with LS_CTX_SUMMARY: wavefronts that the dispatch really has */
    uint32_t simple;        /* with `plan`: its `simple` */
    uint64_t dropped;  /* device: messages dropped (ring full with LS_CTX_DROP, dead host, closed ring) */
    uint64_t plan;     /* struct ls_plan *, with LS_CTX_SUMMARY; 0: irregular accesses go out as messages */
    uint64_t evidence; /* struct ls_evidence[summary_sites + 1], with LS_CTX_SUMMARY; 0: not wanted */
    uint64_t
        summary; /* struct ls_summary *; 0 without LS_CTX_SUMMARY. Probes read it and `evidence` at once */
    /* software GPU, with `code`: accesses that it does not list, so that nothing was sent */
    uint64_t unlisted;
    uint64_t code;          /* struct ls_code_map *; 0: probes report */
    uint64_t first_summary; /* with LS_CTX_SUMMARY: struct ls_summary * whose `ended` counts */
    uint32_t die_bytes;     /* from one die's struct ls_summary to the next one's */
    uint32_t pad[13];
};

/*
 * Contexts of a dispatch with LS_CTX_SUMMARY on GPUs whose dies have L2s of their own (gfx940 to gfx950): atomics of all dies at
 * one address would go one after the other through the memory that the dies share, so each die counts for itself. The contexts
 * follow one another, by the number of the die modulo LS_DIES; they differ in `summary` alone, and in `dropped`.
 */
#define LS_DIES 8u

/* A cursor: bits 47:3 address of the next message, which is a multiple of 8, 63:48 bytes that are left for messages; 1 in
 * summary mode, so that no access finds room, and the longest message's without LS_CTX_HOLD, so that one fills a chunk.
 * Bits 2:0 tell how many words of 8 bytes before that address wait in the record (struct ls_wave). */
#define LS_CURSOR(address, left) ((address) | (uint64_t)(left) << 48)
#define LS_CURSOR_WAITING 7u
#define LS_FEW_BYTES 4096u /* room that a chunk is said to have with LS_CTX_FEW, if it is larger */
#define LS_LINE 64u        /* a chunk is written by lines of so many bytes, where messages are shorter */
#define LS_FIRST_CURSOR(flags, chunks, bytes)                                                                \
    LS_CURSOR((chunks) + sizeof(struct ls_chunk), (flags) & LS_CTX_SUMMARY ? 1                               \
                                                  : (flags) & LS_CTX_HOLD                                    \
                                                      ? (bytes) - sizeof(struct ls_chunk)                    \
                                                      : LS_MESSAGE_MAX) -                                    \
        (bytes)

/* An entry of the done list: the low half of the address where the chunk's messages end, which is a multiple of 8, and
 * enum ls_chunk_flags. All chunks lie within 4 GiB, so that it tells which one it is. */
#define LS_DONE(end, flags) ((uint32_t)(end) | 4u | (flags))
#define LS_DONE_FLAGS(entry) ((entry) & 3u)
/* From the first chunk's address to the last byte before the messages' end. */
#define LS_DONE_OFFSET(entry, chunks) (((entry) & ~7u) - 1u - (uint32_t)(chunks))

/*
 * Kernels without probes on the software GPU: it sends the messages of each memory instruction that it
 * executes itself. Where the context lies stands in the reserved word of the dispatch packet; which
 * instruction is which site, here. Constant while the dispatch runs. Behind the structure stand the ranges,
 * and at byte `words` a word for each 4 bytes of their code:
 *
 *   bits 23:0  number of the instruction's site + 1; 0: it sends nothing. What makes two accesses (read2,
 *              write2) has two sites, one behind the other, and so has a load to LDS: what it reads, what it
 *              writes
 *   bit  24    the length of its accesses is known at run time only: LENGTH follows each
 *   bit  25    it has two sites
 */
struct ls_code_range {
    uint64_t start; /* GPU address of the first instruction */
    uint32_t n;     /* words */
    uint32_t first; /* its first word */
};
struct ls_code_map {
    uint32_t magic;
    uint32_t n_ranges;
    uint32_t words; /* offset of uint32_t[n_words] */
    uint32_t n_words;
};
#define LS_CODE_MAGIC 0x4f43534cu /* "LSCO" */
#define LS_CODE_LENGTH (1u << 24)
#define LS_CODE_TWO (1u << 25)

/* One per wavefront of the dispatch, in device memory; written and read by that wavefront only.
 * The host only provides the memory. */
struct ls_wave {
    uint64_t ctx;    /* struct ls_ctx * */
    uint64_t cursor; /* LS_CURSOR; 0: no chunk held */
    uint32_t slot;   /* these four as the first ones of a chunk's header */
    uint32_t number;
    uint32_t hw_id;
    uint32_t order; /* of the next chunk; LS_ORDER_WAITS may be set */
    union {
        /* The chunk's line in which the cursor is, as far as it waits for more, at the same place in the line; and room for a
         * message of 32 bytes that begins in its last 8. */
        uint64_t waiting[LS_LINE / 8 + 3];
        uint32_t longest; /* with LS_CTX_SUMMARY: of the next access of a length known at run time only */
    };
    uint64_t start; /* with LS_CTX_LIVES: 100 MHz counter when the wavefront began to report */
};

/*
 * Counters of a dispatch in device memory (LS_CTX_SUMMARY). The host provides the memory, zeroed once; the
 * last wavefront of a dispatch sends what was counted as LS_KIND_COUNT messages and leaves zeros behind.
 *
 * Counted are accesses whose addresses lie on a line, or in rows of equal length: base + column * stride +
 * row * step (the tiles of two-dimensional work-groups, and the steps of sorting networks and Fourier transforms).
 *
 * A site has LS_SUMMARY_WAYS entries. An entry's key is taken with one compare-and-swap from 0 and never
 * changes while the dispatch runs, so that whoever reads it needs no lock:
 *
 *   bits 63:58  number of the exec mask
 *   bits 57:55  1: a line; else lanes of a row: 2 32, 3 16, 4 8, 5 4, 6 2
 *   bits 54:48  base modulo LS_SUMMARY_PERIOD (LDS: LS_SUMMARY_PERIOD_LDS)
 *   bits 47:32  stride of rows
 *   bits 31:0   stride of a line, or step
 *
 * Exec masks are numbered in `masks`, each in its place or, if another one has it, anywhere; number 0 stands for all lanes. An
 * access that finds neither its key nor room goes out as a message.
 */
#define LS_SUMMARY_WAYS 64u
#define LS_SUMMARY_PROBES 16u /* entries that are looked at before giving up */
#define LS_SUMMARY_MASKS 64u
#define LS_SUMMARY_TOUCHED 2048u
#define LS_SUMMARY_FULL 1024u
#define LS_SUMMARY_STEP_MAX (1 << 26) /* offsets from lane 0 then fit 32 bits */
#define LS_SUMMARY_PERIOD 128u        /* largest cache line: the cost of a strided access repeats with it */
#define LS_SUMMARY_PERIOD_LDS 4u      /* a shift by whole dwords only renames banks */
struct ls_summary_entry {
    uint64_t key, count;
};
struct ls_summary {
    uint32_t ended;      /* in first_summary: wavefronts of the dispatch that ended so far */
    uint32_t used;       /* of a die: 1 if wavefronts ended there */
    uint32_t masks_full; /* 1 when an exec mask has found no room */
    uint32_t pad[29];
    uint64_t masks[LS_SUMMARY_MASKS];
    /* bit n modulo LS_SUMMARY_TOUCHED is set when the site of number n - 1 takes an entry */
    uint32_t touched[LS_SUMMARY_TOUCHED / 32];
    /* Likewise modulo LS_SUMMARY_FULL, when one has found no room. As long as a site's entries is all that comes before them: those of
     * site n + 1 begin at (n + 1) times this length. */
    uint32_t full[LS_SUMMARY_FULL / 32];
    struct ls_summary_entry entries[]; /* summary_sites * LS_SUMMARY_WAYS */
};

/*
 * How to reduce accesses that no small key describes: irregular ones, and those for which the entries above
 * have no room. Written by the host, constant while the dispatch runs. A site's access is what the hardware
 * does for it: passes of 1 to 16 bytes per lane at its address + offset. Each pass has LS_COSTS counters
 * behind the entries of struct ls_summary; the wavefront computes what the pass costs and adds it there.
 * Behind the passes of a site stand those of its followers (struct ls_site_lead in sites.h).
 *
 * Accesses of a length that is known at run time only, or of more than LS_PLAN_LONG bytes, are taken for a
 * row of pieces: of `walk` bytes as long as 16 or more are left, then of what is left. One pass with offset 0
 * stands for the first of them, one with offset 16 for all others; in LDS there is one for each width that is
 * served in its own way: 4, 8, 12, 16 bytes, a piece has the next one of these. Pieces whose cost repeats
 * (all of them in LDS; after 128 bytes in global memory) are computed once.
 *
 * Behind the structure stand a word for each site, at byte `passes` the struct ls_plan_pass, at byte `groups`
 * the lane groups. The word of a site:
 *
 *   bits 9:0    number of passes + 1; 0: its accesses go out as messages
 *   bits 30:10  its first pass
 *   bit  31     its passes have pieces
 */
enum ls_plan_memory {
    LS_PLAN_GLOBAL = 0, /* LS_COST_BYTES to LS_COST_REQUESTS */
    LS_PLAN_LDS = 1,    /* LS_COST_INDEX to LS_COST_ADDRESS */
    LS_PLAN_FLAT = 2,   /* bit: only the lanes whose flat address lies in that memory */
};
struct ls_plan_pass {
    uint32_t site;
    uint16_t offset; /* from the site's address, bytes */
    uint8_t bytes;   /* per lane, 1..16 */
    uint8_t memory;  /* enum ls_plan_memory */
    uint16_t group;  /* LDS: first of the lane groups that are served one after the other */
    uint8_t groups;  /* their number */
    uint8_t banks;   /* a power of two */
    uint8_t atomic;  /* LDS: 1: lanes wait for each other on one dword */
    uint8_t walk;    /* bytes of a piece, 8 or 16; 0: one access */
    uint8_t pad[2];
    union {
        uint32_t length;  /* with walk: of all pieces; 0: ls_wave.longest */
        int32_t distance; /* without: of the site's address from the one that the probe got */
    };
};
struct ls_plan {
    uint32_t n_sites, n_passes;
    uint32_t passes, groups; /* offsets of struct ls_plan_pass[n_passes] and of uint64_t lane masks */
    uint32_t lanes;          /* the address unit's: its quads of lanes are counted up to there */
    uint32_t simple; /* offset of struct ls_plan_simple[n_sites + 1], by a site's number + 1; 0: none */
    uint32_t shared, n_shared; /* offset of struct ls_plan_shared[n_shared], which the host alone reads */
};
/* Another access of a leader's probe that costs what a pass does: the same instruction, a distance away that changes nothing.
 * The GPU finds out and counts once; who reads the pass's counters counts them for this one, too. In order of the passes. */
struct ls_plan_shared {
    uint32_t pass, site; /* of the plan; number */
    uint32_t offset;     /* from the site's address, bytes */
};
/* Of a site with one pass of 1, 2, 4, 8 or 16 bytes in global memory, or of up to 4 or 8 bytes in LDS that has 32 banks and serves
 * groups of 32 lanes, of 16 with 8 bytes, that follow one another: all that reducing its accesses asks, at once. */
struct ls_plan_simple {
    uint32_t last;     /* bytes - 1, with LS_PLAN_SIMPLE_LDS; LS_PLAN_NOT_SIMPLE: the site is no such */
    int32_t distance;  /* of the pass from the address that the probe got */
    uint32_t counters; /* of the pass, bytes from the begin of struct ls_summary */
    /* global memory: `lanes` of struct ls_plan; LDS: `atomic` of the pass; LS_PLAN_NOT_SIMPLE: 1 when the site has no passes,
     * so that its accesses go out as messages without another look */
    uint32_t more;
};
#define LS_PLAN_SIMPLE_LDS 0x100u
#define LS_PLAN_NOT_SIMPLE (~0u)
/* What the counters of a pass hold: sums over the accesses with active lanes. */
enum ls_cost {
    LS_COST_EXECUTIONS,
    LS_COST_LANES,
    LS_COST_BYTES = 2, /* distinct bytes */
    LS_COST_LINES_64,  /* distinct blocks of 64 bytes */
    LS_COST_LINES_128,
    LS_COST_NEEDED_64, /* such blocks that the bytes of an access would fill side by side */
    LS_COST_NEEDED_128,
    LS_COST_REQUESTS,  /* distinct blocks of 64 bytes in each quad of lanes, at least one */
    LS_COST_INDEX = 2, /* cycles in which the busiest bank serves, over the lane groups */
    LS_COST_CONFLICT,  /* all but the first of each group */
    LS_COST_ADDRESS,   /* atomics: lanes that wait for another one's update of the same dword */
    LS_COSTS = 8,
};
#define LS_PLAN_LONG 64u
#define LS_PLAN_OF_SITE(first, n) ((uint32_t)(first) << 10 | ((uint32_t)(n) + 1u))
#define LS_PLAN_LONG_SITE (1u << 31) /* of a word: the passes have pieces */
#define LS_PLAN_FIRST(word) ((word) >> 10 & 0x1fffffu)
#define LS_PLAN_NUMBER(word) (((word) & 0x3ffu) - 1u) /* of a word that is not 0 */
#define LS_PLAN_SITE_MAX 1022u                        /* passes of a site */
#define LS_PLAN_PASSES_MAX (1u << 21)                 /* of all */

#define LS_SUMMARY_COSTS(sites)                                                                              \
    (sizeof(struct ls_summary) + (uint64_t)(sites) * LS_SUMMARY_WAYS * sizeof(struct ls_summary_entry))
/* Counters of one die; evidence, which all dies share, lies behind those of all. */
#define LS_SUMMARY_DIE(sites, passes)                                                                        \
    (LS_SUMMARY_COSTS(sites) + (uint64_t)(passes) * LS_COSTS * sizeof(uint64_t))
#define LS_SUMMARY_BYTES(sites, passes, dies, evidence)                                                      \
    ((dies) * LS_SUMMARY_DIE(sites, passes) +                                                                \
     ((evidence) ? ((uint64_t)(sites) + 1) * sizeof(struct ls_evidence) : 0))

/*
 * One for each site, by its number + 1, if the host asks for it (ls_ctx.evidence): its first access in the lowest
 * wavefront that executes it, and a sum over all of that wavefront's. Bits 63:32 of every word are the
 * complement of the wavefront's number, bits 31:0 the value, so that the maximum of two words is that of the
 * lower wavefront, and atomic maxima leave the record of one wavefront, whatever the order: nobody needs a
 * lock. Only `sum` changes after its wavefront's first access, by compare-and-swap, which fails when a lower
 * one has come.
 */
struct ls_evidence {
    uint64_t sum;     /* of LS_EVIDENCE_MASK(exec mask) */
    uint64_t exec[2]; /* low half, high half */
    uint64_t pad;
    uint64_t low[64], high[64]; /* halves of the addresses of the active lanes */
};
/* Odd, so that the parity of the sum is that of the number of accesses;
 * equal masks repeat after 2^32 times only. */
#define LS_EVIDENCE_MASK(exec) ((uint32_t)((((uint64_t)(exec) + 1) * 0x9e3779b97f4a7c15ull) >> 32) | 1u)

enum ls_chunk_flags {
    LS_CHUNK_LAST = 1u << 0,    /* the wavefront ended with this chunk */
    LS_CHUNK_SUMMARY = 1u << 1, /* all that the dispatch counted has been sent */
};

/* First bytes of each chunk that is handed over. Messages follow. The first half is the wavefront's; the second one the
 * host fills in, of what it knows by the entry of the done list and by the context (messages/header.h). */
struct ls_chunk {
    uint32_t slot;     /* ls_ctx.slot */
    uint32_t number;   /* of the wavefront in the dispatch: flat work-group id * waves_per_workgroup + wave */
    uint32_t hw_id;    /* HW_REG_HW_ID (gfx9), HW_ID1 (gfx10 and later) */
    uint32_t order;    /* LS_ORDER_... */
    uint64_t cycles;   /* readcyclecounter when the chunk was taken */
    uint64_t realtime; /* 100 MHz counter at the same time; 0 where there is none */
    uint32_t magic;
    uint32_t bytes;                    /* with header */
    uint32_t sequence;                 /* chunks that the wavefront handed over before */
    uint8_t flags, lanes, xcc_id, pad; /* enum ls_chunk_flags; wavefront size: 32 or 64 */
    uint32_t wave;                     /* wavefront in work-group */
    uint32_t workgroup[3];
};
/* Where a chunk stands among its wavefront's, and what is constant of that one: HW_REG_XCC_ID (0 where there is none), and
 * whether it has 32 lanes. The third is the record's alone: the chunk stays for the message of the lengths. */
#define LS_ORDER_XCC 0xfu
#define LS_ORDER_32_LANES (1u << 4)
#define LS_ORDER_WAITS (1u << 5)
#define LS_ORDER_SHIFT 6 /* of the sequence */

/*
 * Messages: consecutive, 8-byte aligned, each starting with a head word:
 *
 *   bits 23:0   site index + 1 in the site table of the dispatched kernel
 *   bits 27:24  enum ls_kind
 *   bit  28     partial: the 64-bit mask of the active lanes follows the fixed part;
 *               without it all lanes of the wavefront are active
 *   bit  29     turns: the access of each turn of a loop (STRIDED to RAW, and ROWS). 16 bytes follow the fixed part
 *               and the mask: the 64-bit signed distance from one turn's addresses to the next one's, then the
 *               number of turns - 1 (bits 47:0, below LS_TURNS_MOST) and that of the loop in its function (bits 63:48)
 *   bits 31:30  0
 *
 * The fixed part has 16 bytes: head, word1, word2, word3. With the partial bit the mask stands right behind
 * it, before any words per lane; then what tells turns. An address is a 64-bit flat or global address, or the byte offset in LDS for
 * address space 3; word1,2 is a 64-bit number, low word first; n is the number of active lanes.
 *
 *   kind      word1,2                     word3                 behind it (and behind the mask)
 *   STRIDED   address of lane 0           signed byte stride    nothing: address(lane) = base + lane * stride
 *   DELTA     base                        n                     n signed 32-bit differences from base
 *   WINDOW    base                        n                     n unsigned 32-bit differences from base
 *   RAW       0                           n                     n low words, n high words of the addresses
 *   LENGTH    bytes of the first lane     0: all the same; n    nothing, or n 32-bit lengths
 *   BLOCK     cycle counter               0                     nothing
 *   TIME      cycle counter at the start  cycles, saturated     nothing
 *   COUNT     word1, word2: see below     signed byte stride    number of accesses, 64 bits
 *   WAVE      100 MHz counter at start    ticks, saturated      nothing; of no site: bits 23:0 are 0
 *   COST      word1: see below; word2: 0  0                     LS_COSTS sums of 64 bits
 *   EVIDENCE  word1, word2: see below     0                     64 low, 64 high words of addresses
 *   ROWS      address of lane 0           signed byte stride    signed pitch; log2 of the lanes of a row, 1 to 5
 *
 * Words per active lane stand in lane order, padded to 8 bytes.
 *   STRIDED   The base is extrapolated if lane 0 is inactive. Uniform accesses have stride 0.
 *   ROWS      address(lane) = base + column * stride + row * pitch, where the row is lane >> log2 and the column
 *             the rest. The base is extrapolated if lane 0 is inactive.
 *   LENGTH    follows an access of the same site whose byte count is dynamic (memcpy, memset).
 *   BLOCK     entry into a block. It and TIME have the counter of readcyclecounter.
 *   COUNT     accesses that were counted instead of sent (struct ls_summary):
 *             word1  bits 6:0  their bases modulo the period
 *                    bits 10:8 lanes of a row: 0 all, else one less than in the key
 *             word2  step of rows
 *   WAVE      end of the wavefront, with LS_CTX_LIVES.
 *   COST      what the accesses of a site cost that were reduced (struct ls_plan):
 *             word1  bits 15:0   offset of the pass
 *                    bits 23:16  its bytes
 *                    bits 31:24  its memory
 *   EVIDENCE  struct ls_evidence, always partial, the addresses of all lanes:
 *             word1  number of the wavefront in the dispatch
 *             word2  sum
 */
enum ls_kind {
    LS_KIND_STRIDED = 1,
    LS_KIND_DELTA = 2,
    LS_KIND_WINDOW = 3,
    LS_KIND_RAW = 4,
    LS_KIND_LENGTH = 5,
    LS_KIND_BLOCK = 6,
    LS_KIND_TIME = 7,
    LS_KIND_COUNT = 8,
    LS_KIND_WAVE = 9,
    LS_KIND_COST = 10,
    LS_KIND_EVIDENCE = 11,
    LS_KIND_ROWS = 12,
};

#define LS_HEAD_SITE(head) (((head) & 0xffffffu) - 1u)
#define LS_HEAD_KIND(head) (((head) >> 24) & 0xfu)
#define LS_HEAD_PARTIAL (1u << 28)
#define LS_HEAD_TURNS (1u << 29)
#define LS_TURNS_BITS 48 /* of the turns of a loop; what is left is the loop's number */
#define LS_TURNS_MORE(word) ((word) & ((1ull << LS_TURNS_BITS) - 1))
#define LS_TURNS_MOST 65536u /* that one message tells: a damaged one must not keep its reader for long */
#define LS_HEAD(site, kind) (((uint32_t)(site) + 1u) | (uint32_t)(kind) << 24)
#define LS_SITE_LIMIT 0xfffffeu
/* No GPU has more LDS (gfx950: 160 KiB): a longer copy in it is damage. */
#define LS_LDS_MOST (256u << 10)
/* Largest message: RAW of a loop, with 64 lanes: 16 + 8 + 16 + 512. The smallest chunk (1 KiB) holds one. */
#define LS_MESSAGE_MAX 552u
#define LS_LENGTH_MAX 280u /* of LS_KIND_LENGTH; it stands in the chunk of the access before it */

#if !defined(__OPENCL_VERSION__)
_Static_assert(sizeof(struct ls_ring) == 512, "ring");
_Static_assert(offsetof(struct ls_ring, free_head) == 128 && offsetof(struct ls_ring, heartbeat) == 256,
               "ring");
_Static_assert(sizeof(struct ls_ctx) == 256 && offsetof(struct ls_ctx, first_summary) == 192, "ctx");
_Static_assert(offsetof(struct ls_ctx, slot) == 8 && offsetof(struct ls_ctx, first_cursor) == 40 &&
                   offsetof(struct ls_ctx, chunks) == 64 && offsetof(struct ls_ctx, n_workgroups) == 72,
               "ctx");
_Static_assert(offsetof(struct ls_ctx, summary_sites) == 132 && offsetof(struct ls_ctx, dropped) == 144 &&
                   offsetof(struct ls_ctx, plan) == 152 && offsetof(struct ls_ctx, evidence) == 160 &&
                   offsetof(struct ls_ctx, summary) == 168 && offsetof(struct ls_ctx, unlisted) == 176 &&
                   offsetof(struct ls_ctx, code) == 184,
               "ctx");
_Static_assert(sizeof(struct ls_code_map) == 16 && sizeof(struct ls_code_range) == 16, "code");
_Static_assert(sizeof(struct ls_plan) == 32 && sizeof(struct ls_plan_pass) == 20 &&
                   sizeof(struct ls_plan_simple) == 16,
               "plan");
_Static_assert(sizeof(struct ls_evidence) == 1056, "evidence");
_Static_assert(sizeof(struct ls_summary) == LS_SUMMARY_WAYS * sizeof(struct ls_summary_entry), "summary");
_Static_assert(sizeof(struct ls_wave) == 128 && offsetof(struct ls_wave, cursor) == 8 &&
                   offsetof(struct ls_wave, slot) == 16 && offsetof(struct ls_wave, waiting) == 32 &&
                   offsetof(struct ls_wave, start) == 120,
               "wave");
_Static_assert(sizeof(struct ls_chunk) == 64 && offsetof(struct ls_chunk, cycles) == 16 &&
                   offsetof(struct ls_chunk, magic) == 32 && offsetof(struct ls_chunk, workgroup) == 52,
               "chunk");
#endif

#endif
