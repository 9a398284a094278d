/*
 * code_store.c - where decoded code stands: chunks of micro-operations, the instructions that are there, those still
 * to be decoded, windows of addresses, instruction words.
 */
#include <stdlib.h>
#include <string.h>
#include "code_state.h"
#include "common/vector.h"

static bool new_chunk(struct sg_code *c)
{
    struct sg_chunk *k = aligned_alloc(64, (sizeof *k + 63) / 64 * 64);
    if (!k)
        return false;
    k->next = c->chunks;
    c->chunks = k;
    c->chunk_used = 0;
    return true;
}

/* Room for one instruction and the link behind it; continues the current run in a new chunk when there is
 * none. */
bool sg_code_reserve(struct sg_code *c)
{
    if (c->chunks && c->chunk_used + MAX_UOPS_PER_INST + 1 < CHUNK_UOPS)
        return true;
    struct sg_jump *link = c->chunks ? (struct sg_jump *)(void *)&c->chunks->uops[c->chunk_used] : NULL;
    if (!new_chunk(c)) {
        c->out_of_memory = true;
        return false;
    }
    if (link)
        *link = (struct sg_jump){.fn = sg_h_jump, .target = c->chunks->uops};
    return true;
}

struct sg_known *sg_code_known(struct sg_code *c, uint64_t key)
{
    struct sg_known *k;
    HASH_FIND(hh, c->known, &key, sizeof key, k);
    return k;
}

void sg_code_add_work(struct sg_code *c, uint64_t key)
{
    if (LS_ROOM(c->work, c->n_work))
        c->work[c->n_work++] = key;
    else
        c->out_of_memory = true;
}

uint32_t sg_code_place(struct sg_code *c, uint64_t pc)
{
    const uint64_t start = pc & ~(SG_CODE_WINDOW_BYTES - 1);
    unsigned i = 0;
    while (i < c->n_windows && c->windows[i] != start)
        i++;
    if (i == SG_CODE_WINDOWS) {
        c->out_of_memory = true;
        return 0;
    }
    if (i == c->n_windows)
        c->windows[c->n_windows++] = start;
    return i << SG_CODE_WINDOW_BITS | (uint32_t)((pc - start) / 4);
}

unsigned sg_code_mapped(struct sg_tlb *tlb, uint64_t pc, uint32_t words[GCN_WORDS])
{
    unsigned n = 0;
    for (; n < GCN_WORDS; n++) {
        const struct sg_range *r = sg_tlb_range(tlb, pc + 4 * n);
        if (!r || !(r->flags & SG_RANGE_EXEC) || r->hi - (pc + 4 * n) < 4)
            break;
        memcpy(&words[n], (const void *)(uintptr_t)(pc + 4 * n + (uint64_t)r->delta), 4);
    }
    return n;
}

unsigned sg_code_fetch(struct sg_code *c, uint64_t pc, uint32_t words[GCN_WORDS])
{
    if (c->source.words) {
        size_t at = pc / 4, n = 0;
        while (n < GCN_WORDS && at + n < c->source.dwords) {
            words[n] = c->source.words[at + n];
            n++;
        }
        return (unsigned)n;
    }
    return sg_code_mapped(&c->tlb, pc, words);
}
