/*
 * header.h - the host's half of a chunk's header (lanescope/wire.h): what the wavefront does not write, because the host
 * can tell it by the entry of the done list and by the context.
 */
#ifndef MESSAGES_HEADER_H
#define MESSAGES_HEADER_H

#include <stdbool.h>
#include "lanescope/wire.h"

/* Which chunk an entry of the done list hands over, and where its messages end: of n_chunks of `bytes` each, the first of
 * them at the GPU's address `chunks`. false: no wavefront writes such an entry. */
static inline bool ls_done_read(uint32_t entry, uint64_t chunks, uint32_t bytes, uint32_t n_chunks,
                                uint32_t *number, uint32_t *used)
{
    const uint32_t offset = LS_DONE_OFFSET(entry, chunks);
    *number = offset / bytes;
    *used = offset % bytes + 1;
    return entry == LS_DONE(entry & ~7u, LS_DONE_FLAGS(entry)) && *number < n_chunks &&
           *used >= sizeof(struct ls_chunk);
}

/* Fills in the header of a chunk that was handed over by `entry` with `used` bytes, but for what the context tells. */
static inline void ls_header_begin(struct ls_chunk *c, uint32_t entry, uint32_t used)
{
    c->magic = LS_CHUNK_MAGIC;
    c->bytes = used;
    c->sequence = c->order >> LS_ORDER_SHIFT;
    c->flags = LS_DONE_FLAGS(entry);
    c->lanes = c->order & LS_ORDER_32_LANES ? 32 : 64;
    c->xcc_id = c->order & LS_ORDER_XCC;
    c->pad = 0;
}

/* And the rest, of a dispatch with this context. false: it has no wavefront of that number. */
static inline bool ls_header_end(struct ls_chunk *c, const struct ls_ctx *ctx)
{
    if (!ctx->waves_per_workgroup || !ctx->n_workgroups[0] || !ctx->n_workgroups[1])
        return false;
    uint32_t group = c->number / ctx->waves_per_workgroup;
    c->wave = c->number % ctx->waves_per_workgroup;
    for (int i = 0; i < 2; i++) {
        c->workgroup[i] = group % ctx->n_workgroups[i];
        group /= ctx->n_workgroups[i];
    }
    c->workgroup[2] = group;
    return group < ctx->n_workgroups[2];
}

#endif
