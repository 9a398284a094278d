/*
 * copy.c - memory moves across mapped ranges.
 */
#include "copy.h"

#include <string.h>

/* Bytes from `va` to the end of its range, and its host address; 0 when not mapped. */
static uint64_t run_at(struct sg_cp *cp, uint64_t va, uint32_t need, uint8_t **host)
{
    const struct sg_range *r = sg_tlb_range(&cp->tlb, va);
    if (!r || !(r->flags & need))
        return 0;
    *host = (uint8_t *)(uintptr_t)(va + (uint64_t)r->delta);
    return r->hi - va;
}

/* The pattern's byte at position k of the fill is byte k % 4: slices may start anywhere. */
static void fill_bytes(uint8_t *dst, uint64_t n, uint32_t pattern, uint64_t phase)
{
    uint32_t turned = pattern;
    uint8_t byte = (uint8_t)pattern;
    if (pattern == byte * 0x01010101u) {
        memset(dst, byte, n);
        return;
    }
    if (phase % 4)
        turned = pattern >> (8 * (phase % 4)) | pattern << (32 - 8 * (phase % 4));
    uint64_t i = 0;
    for (; i + 4 <= n; i += 4)
        memcpy(dst + i, &turned, 4);
    memcpy(dst + i, &turned, n - i);
}

bool copy_some(struct sg_cp *cp, struct copy_job *job, uint64_t budget, struct copy_fault *fault)
{
    uint64_t stop = job->bytes - job->done < budget ? job->bytes : job->done + budget;
    uint64_t first = job->dst + job->done;
    while (job->done < stop) {
        uint8_t *dst, *src = NULL;
        uint64_t n = stop - job->done;
        uint64_t room = run_at(cp, job->dst + job->done, SG_RANGE_WRITE, &dst);
        if (!room) {
            *fault = (struct copy_fault){job->dst + job->done, true};
            return false;
        }
        if (n > room)
            n = room;
        if (job->is_fill) {
            fill_bytes(dst, n, job->pattern, job->done);
        } else {
            room = run_at(cp, job->src + job->done, SG_RANGE_READ, &src);
            if (!room) {
                *fault = (struct copy_fault){job->src + job->done, false};
                return false;
            }
            if (n > room)
                n = room;
            memmove(dst, src, n);
        }
        job->done += n;
    }
    cp_wrote(cp, first, job->dst + job->done - first);
    return true;
}
