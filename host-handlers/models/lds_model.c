/* lds_model.c - the count over the lane groups of a GPU. See lds_model.h. */
#include "lds_model.h"

#include <string.h>

const struct ls_gpu *ls_gpu_with_lds(const char *name)
{
    const struct ls_gpu *gpu = ls_gpu_find(name);
    return gpu && gpu->lds ? gpu : NULL;
}

static enum ls_lds_width width_of(unsigned bytes)
{
    return bytes <= 4 ? LS_LDS_B32 : bytes <= 8 ? LS_LDS_B64 : bytes <= 12 ? LS_LDS_B96 : LS_LDS_B128;
}

const struct ls_lds_phases *ls_lds_phases(const struct ls_gpu *gpu, bool is_write, unsigned bytes)
{
    return &(is_write ? gpu->lds->write : gpu->lds->read)[width_of(bytes)];
}

/* The dwords that the lanes of one phase touch.
 * At most 64 lanes with 5 dwords each (16 bytes, misaligned). */
struct dwords {
    unsigned n;
    uint32_t dword[64 * 5];
    uint16_t lanes[64 * 5]; /* lanes that touch it */
    uint16_t head[64];      /* per bank: index + 1 of its newest dword */
    uint16_t next[64 * 5];
    uint8_t depth[64]; /* per bank: distinct dwords */
};

static void touch(struct dwords *d, unsigned banks, uint32_t dword)
{
    unsigned bank = dword % banks;
    for (unsigned i = d->head[bank]; i; i = d->next[i - 1])
        if (d->dword[i - 1] == dword) {
            d->lanes[i - 1]++;
            return;
        }
    d->dword[d->n] = dword;
    d->lanes[d->n] = 1;
    d->next[d->n] = d->head[bank];
    d->head[bank] = (uint16_t)++d->n;
    d->depth[bank]++;
}

struct ls_lds_cost ls_lds_access(const struct ls_gpu *gpu, bool is_write, bool is_atomic, unsigned bytes,
                                 uint64_t exec, const uint32_t addr[64])
{
    const struct ls_lds_phases *p = ls_lds_phases(gpu, is_write, bytes);
    struct ls_lds_cost cost = {0};
    for (unsigned phase = 0; phase < p->n; phase++) {
        struct dwords d;
        d.n = 0;
        memset(d.head, 0, sizeof d.head);
        memset(d.depth, 0, sizeof d.depth);
        for (uint64_t m = exec & p->groups[phase]; m; m &= m - 1) {
            uint32_t first = addr[__builtin_ctzll(m)];
            for (uint32_t w = first / 4; w <= (first + bytes - 1) / 4; w++)
                touch(&d, p->banks, w);
        }
        unsigned busiest = 1, crowd = 1;
        for (unsigned b = 0; b < p->banks; b++)
            busiest = d.depth[b] > busiest ? d.depth[b] : busiest;
        for (unsigned i = 0; is_atomic && i < d.n; i++)
            crowd = d.lanes[i] > crowd ? d.lanes[i] : crowd;
        cost.index_cycles += busiest;
        cost.conflict_cycles += busiest - 1;
        cost.address_conflict += crowd - 1;
    }
    if (!p->measured)
        cost.assumed_cycles = cost.index_cycles + cost.address_conflict;
    return cost;
}
