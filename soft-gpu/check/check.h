/*
 * check.h - the race and initialisation check: the engine tells it of every access, it says which pairs of
 * instructions race and which reads find bytes that nobody wrote. Nothing here knows an instruction set, a
 * source line or a file; docs/check.md tells users what the findings mean.
 *
 * Threads: a work-group belongs to one thread at a time, and its functions take no lock. The end of a
 * work-group merges its findings into the dispatch's under a lock.
 */
#ifndef SOFT_GPU_CHECK_CHECK_H
#define SOFT_GPU_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SG_CHECK_LANES = 64, SG_CHECK_WAVES = 16, SG_CHECK_BYTES = 16 };

/* What is asked for. */
enum sg_check_what {
    SG_CHECK_RACES = 1,  /* races in LDS, and lanes of one store that contradict each other there */
    SG_CHECK_UNINIT = 2, /* reads of LDS that the work-group has not written */
    SG_CHECK_GLOBAL = 4, /* races in global memory; all work-groups must then run on one thread */
    SG_CHECK_WEAK = 8,   /* what weak memory finds (sg_check_found) */
};

enum sg_check_kind { SG_CHECK_READ, SG_CHECK_WRITE, SG_CHECK_ATOMIC };
enum sg_check_space { SG_CHECK_LDS, SG_CHECK_MEMORY };

/* One access of one wavefront instruction. */
struct sg_check_access {
    uint64_t pc;   /* GPU address of the instruction */
    unsigned wave; /* index in the work-group */
    enum sg_check_kind kind;
    enum sg_check_space space;
    unsigned bytes;       /* per lane, at most SG_CHECK_BYTES */
    uint64_t lanes;       /* that access, one bit each */
    const uint64_t *addr; /* of each lane: byte offset in LDS, or GPU address */
    /* What the lanes write; NULL: unknown, then no two writes count as equal. */
    const uint8_t (*data)[SG_CHECK_BYTES];
    const uint8_t *memory;                   /* the work-group's LDS before the access */
    const uint8_t (*before)[SG_CHECK_BYTES]; /* global memory: what each lane overwrites */
};

enum sg_finding_kind {
    SG_FOUND_RACE,   /* two wavefronts access the same bytes and nothing orders them */
    SG_FOUND_LANES,  /* lanes of one instruction write the same bytes */
    SG_FOUND_UNINIT, /* a read of bytes that nobody wrote */
    /* A read of what was there before a write that the reader knows of; enum sg_weak_why of weak/weak.h. */
    SG_FOUND_UNDER_WAY,
    SG_FOUND_OTHER_L2,
    SG_FOUND_STALE,
    SG_FOUND_STALE_SCALAR,
    SG_FOUND_POLLED,
};

/* One side of a finding. */
struct sg_finding_place {
    uint64_t pc;
    enum sg_check_kind kind;
    unsigned wave, lane;
    uint64_t group; /* flat number of its work-group */
};

/* All findings of a dispatch with the same instructions. Of a race between a write and a read, `a` is the
 * write; between two writes, the one at the lower address. b.pc is 0 when there is no other side. */
struct sg_finding {
    enum sg_finding_kind kind;
    enum sg_check_space space;
    bool harmless; /* every time both wrote the same value */
    struct sg_finding_place a, b;
    uint64_t group;   /* flat number of the lowest work-group where it happened; a, b, address are of there */
    uint64_t address; /* first byte in question: offset in LDS, or GPU address */
    uint64_t count;   /* how often: per wavefront instruction, each dword counts */
};

struct sg_check_job;
struct sg_check_group;

/* A dispatch; NULL when out of memory. `what`: SG_CHECK_* bits. */
struct sg_check_job *sg_check_job_begin(unsigned what);
/* After its last work-group. Calls `found` for each finding, lowest instruction first, then frees the job.
 * `found` may be NULL. `lost`: findings beyond what is kept of one dispatch, and accesses to more global
 * memory than is followed. */
typedef void (*sg_found_fn)(void *user, const struct sg_finding *f);
void sg_check_job_end(struct sg_check_job *j, sg_found_fn found, void *user, uint64_t *lost);

/* A work-group starts. `reuse`: NULL, or an ended one whose memory is taken. NULL when out of memory; then
 * reuse has been freed. */
struct sg_check_group *sg_check_group_begin(struct sg_check_job *j, struct sg_check_group *reuse,
                                            uint64_t flat, unsigned waves, uint32_t lds_bytes);
/* Its findings go to its job. The memory stays, for sg_check_group_begin or sg_check_group_free. */
void sg_check_group_end(struct sg_check_group *g);
void sg_check_group_free(struct sg_check_group *g);

/* All wavefronts of the work-group have arrived at a barrier. */
void sg_check_barrier(struct sg_check_group *g);
/* The wavefront now knows of everything that others have done: it waited for them in some way that the
 * instruction set shows (a returning atomic, a load past the caches, global wave sync). */
void sg_check_acquire(struct sg_check_group *g, unsigned wave);
/* Something that was found elsewhere. */
void sg_check_found(struct sg_check_group *g, const struct sg_finding *one);
/* Before the access takes place. Plain accesses only, when it is global memory. */
void sg_check_access(struct sg_check_group *g, const struct sg_check_access *a);

#endif
