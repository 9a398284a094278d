/* lds_model.c - the count over the lane groups of a GPU. See lds_model.h. */
#include "lds_model.h"

#include <string.h>
#include "wide.h"

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
    unsigned busiest;  /* the most distinct dwords of one bank; at least 1 */
    uint16_t head[64]; /* per bank: index + 1 of its newest dword */
    struct {
        uint32_t dword;
        uint16_t next;
        uint8_t depth; /* dwords of its bank, it and older ones */
        uint8_t lanes; /* that touch it */
    } of[64 * 5];
};

static inline void touch(struct dwords *d, unsigned banks, uint32_t dword)
{
    const unsigned bank = dword % banks, newest = d->head[bank];
    for (unsigned i = newest; i; i = d->of[i - 1].next)
        if (d->of[i - 1].dword == dword) {
            d->of[i - 1].lanes++;
            return;
        }
    const unsigned depth = newest ? d->of[newest - 1].depth + 1u : 1;
    d->of[d->n].dword = dword;
    d->of[d->n].next = (uint16_t)newest;
    d->of[d->n].depth = (uint8_t)depth;
    d->of[d->n].lanes = 1;
    d->head[bank] = (uint16_t)++d->n;
    d->busiest = depth > d->busiest ? depth : d->busiest;
}

static void add_phase(struct ls_lds_cost *cost, unsigned busiest, unsigned crowd)
{
    cost->index_cycles += busiest;
    cost->conflict_cycles += busiest - 1;
    cost->address_conflict += crowd - 1;
}

static void add_assumed(struct ls_lds_cost *cost, const struct ls_lds_phases *p)
{
    if (!p->measured)
        cost->assumed_cycles = cost->index_cycles + cost->address_conflict;
}

struct ls_lds_cost ls_lds_access_by_lane(const struct ls_gpu *gpu, bool is_write, bool is_atomic,
                                         unsigned bytes, uint64_t exec, const uint32_t addr[64])
{
    const struct ls_lds_phases *p = ls_lds_phases(gpu, is_write, bytes);
    struct ls_lds_cost cost = {0};
    for (unsigned phase = 0; phase < p->n; phase++) {
        struct dwords d;
        d.n = 0;
        d.busiest = 1;
        memset(d.head, 0, sizeof d.head);
        for (uint64_t m = exec & p->groups[phase]; m; m &= m - 1) {
            const uint32_t first = addr[__builtin_ctzll(m)], dwords = (first % 4 + bytes + 3) / 4;
            /* addresses have 32 bits: behind the last dword is the first */
            for (uint32_t w = 0; w < dwords; w++)
                touch(&d, p->banks, (first / 4 + w) & 0x3fffffff);
        }
        unsigned crowd = 1;
        for (unsigned i = 0; is_atomic && i < d.n; i++)
            crowd = d.of[i].lanes > crowd ? d.of[i].lanes : crowd;
        add_phase(&cost, d.busiest, crowd);
    }
    add_assumed(&cost, p);
    return cost;
}

/* Whether groups are lanes 0 to 31, and then perhaps those from 32 on, with 32 banks. */
static bool in_halves(const struct ls_lds_phases *p)
{
    return p->banks == 32 && p->groups[0] == 0xffffffff &&
           (p->n == 1 || (p->n == 2 && p->groups[1] == ~0ull << 32));
}

struct ls_lds_cost ls_lds_access(const struct ls_gpu *gpu, bool is_write, bool is_atomic, unsigned bytes,
                                 uint64_t exec, const uint32_t addr[64])
{
    const struct ls_lds_phases *p = ls_lds_phases(gpu, is_write, bytes);
    struct ls_lds_cost cost = {0};
    unsigned busiest[2], crowd[2];
    if (bytes > 4 || !in_halves(p) || !ls_wide() ||
        !ls_wide_lds(bytes, is_atomic, exec, addr, busiest, crowd))
        return ls_lds_access_by_lane(gpu, is_write, is_atomic, bytes, exec, addr);
    for (unsigned phase = 0; phase < p->n; phase++)
        add_phase(&cost, busiest[phase], crowd[phase]);
    add_assumed(&cost, p);
    return cost;
}
