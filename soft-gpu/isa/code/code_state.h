/*
 * code_state.h - decoded code from the inside: for code*.c, and for those who make it (../decode).
 */
#ifndef SOFT_GPU_ISA_CODE_STATE_H
#define SOFT_GPU_ISA_CODE_STATE_H

#include <pthread.h>
#include <uthash.h>
#include "code.h"

enum {
    CHUNK_UOPS = 2048,
    MAX_UOPS_PER_INST = 512,
    CONST_SLOTS = 1 << 17, /* hash table over at most SG_MAX_CONSTS values */
};

struct sg_chunk {
    struct sg_chunk *next;
    struct sg_uop uops[CHUNK_UOPS];
};

/* Decoded instructions by key: pc, with bit 0 set for code decoded in M0-relative mode, bit 1 for code whose
 * vector instructions are skipped. */
struct sg_known {
    struct sg_code_entry entry;
    UT_hash_handle hh;
};

/* A jump whose target was not decoded yet when the jump was. */
struct sg_fixup {
    struct sg_fixup *next;
    struct sg_jump *jump;
    uint64_t key;
    int32_t number, vectors; /* behind the jump */
};

/* Open-addressing table of the entries that indirect jumps asked for; read without the lock. */
struct sg_indirect {
    struct sg_indirect *older;
    size_t mask, used;
    _Atomic(const struct sg_code_entry *) slot[];
};

/* One instruction in M0-relative mode: the versions built so far, by M0[7:0] and the four enable bits. */
struct sg_indexed {
    struct sg_indexed *next;
    struct gcn_inst inst;
    const struct sg_uop *follow; /* the instruction behind it */
    _Atomic(const struct sg_uop *) variant[256 * 16];
};

struct sg_code;
/* Decodes everything that direct branches reach from pc; the lock is held. NULL when out of memory. */
typedef struct sg_known *(*sg_decode_fn)(struct sg_code *c, uint64_t pc);

struct sg_code {
    /* first: sg_uop_pc reads it. Written once, before the first place in it */
    uint64_t windows[SG_CODE_WINDOWS];
    struct gcn_target target;
    struct sg_code_source source;
    uint64_t base;
    uint64_t serial;    /* never reused, unlike the address of this struct */
    unsigned observers; /* enum sg_observers bits */
    sg_decode_fn decode;
    atomic_uint references;

    pthread_mutex_t lock; /* everything below except where noted */
    struct sg_tlb tlb;
    uint64_t lo, hi; /* extent of the decoded instructions */
    unsigned n_windows;
    struct sg_chunk *chunks;
    unsigned chunk_used;
    struct sg_known *known;
    struct sg_fixup *fixups;
    struct sg_indexed *indexed;
    uint64_t *work; /* keys still to be decoded */
    size_t n_work;
    int32_t number, vectors; /* instructions numbered so far */
    bool out_of_memory;
    _Atomic(struct sg_indirect *) indirect; /* read without the lock */

    uint32_t *constants;        /* SG_MAX_CONSTS dwords of address space, never moves */
    atomic_uint n_constants;    /* read without the lock */
    uint32_t *constant_hash[2]; /* index + 1 of 32-bit and 64-bit constants */
};

struct sg_builder {
    struct sg_code *code;
    uint64_t pc; /* of the instruction being built */
    unsigned temp_rows, temp_scalars;
    bool end_run, indexed, vskip;
    bool narrow;      /* nobody reads the upper half of the result */
    bool delays;      /* it sleeps, in a loop that does nothing else */
    unsigned emitted; /* for this instruction */
};

/* What sg_emit hands out when it has no room. */
extern struct sg_uop sg_dummy_uop;

static inline uint64_t sg_key_of(const struct sg_builder *b, uint64_t pc)
{
    return pc | (b->indexed ? 1 : 0) | (b->vskip ? SG_KEY_VSKIP : 0);
}

static inline struct sg_uop *sg_code_here(struct sg_code *c)
{
    return &c->chunks->uops[c->chunk_used];
}

/* ---- code_store.c. The lock is held in all of these. ---- */

/* Room for one instruction and the link behind it; continues the current run in a new chunk when there is
 * none. False when out of memory. */
bool sg_code_reserve(struct sg_code *c);
struct sg_known *sg_code_known(struct sg_code *c, uint64_t key);
void sg_code_add_work(struct sg_code *c, uint64_t key);
/* What sg_uop.pc holds for the instruction at pc. Sets out_of_memory when the code lies in too many windows. */
uint32_t sg_code_place(struct sg_code *c, uint64_t pc);
/* Reads as many words as an instruction may have at pc from executable memory. Returns how many are readable. Needs no lock. */
unsigned sg_code_mapped(struct sg_tlb *tlb, uint64_t pc, uint32_t words[GCN_WORDS]);
/* Likewise of the code, which may be a list of words instead. */
unsigned sg_code_fetch(struct sg_code *c, uint64_t pc, uint32_t words[GCN_WORDS]);

/* ---- code.c ---- */

/* Code without an instruction, which `decode` will fill. NULL when out of memory; otherwise the caller owns one
 * reference. */
struct sg_code *sg_code_new(struct gcn_target target, const struct sg_code_source *source, uint64_t base,
                            unsigned observers, sg_decode_fn decode);

/* ---- code_indirect.c: the entries that indirect jumps asked for. ---- */

const struct sg_code_entry *sg_find_indirect(const struct sg_indirect *t, uint64_t pc);
/* Publishes e; lock held. False when out of memory. */
bool sg_add_indirect(struct sg_code *c, const struct sg_code_entry *e);

#endif
