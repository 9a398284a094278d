/*
 * mem_cross.c - DS instructions that move data between lanes: swizzle, permute, transposing reads, and the
 * wave-wide counters append and consume. Swizzle and permute use the LDS crossbar but no LDS storage.
 */
#include "mem_lanes.h"

/* Writes `row` to the active lanes of d. */
static void put(const struct sg_wave *w, uint32_t *d, const uint32_t *row)
{
    SG_VECTORIZE
    for (unsigned i = 0; i < SG_MAX_LANES; i++)
        d[i] = (row[i] & w->xm[i]) | (d[i] & ~w->xm[i]);
}

/* Inactive lanes give 0. */
static void active_only(const struct sg_wave *w, const uint32_t *from, uint32_t *row)
{
    SG_VECTORIZE
    for (unsigned i = 0; i < SG_MAX_LANES; i++)
        row[i] = from[i] & w->xm[i];
}

int sg_row_copy(SG_ARGS)
{
    put(w, v[u->d], v[u->a]);
    SG_NEXT();
}

/* Lanes among which permutes exchange. */
static unsigned permuted_lanes(const struct sg_wave *w)
{
    const unsigned most = w->arch->family->permuted_lanes;
    return w->lanes < most ? w->lanes : most;
}

int sg_ds_bpermute(SG_ARGS)
{
    const unsigned group = permuted_lanes(w);
    uint32_t active[SG_MAX_LANES], row[SG_MAX_LANES];
    const uint32_t *from = v[u->b];
    if (w->exec != ~0ull && !u->x) {
        active_only(w, from, active);
        from = active;
    }
    for (unsigned i = 0; i < SG_MAX_LANES; i++)
        row[i] = from[((v[u->a][i] + (uint32_t)u->imm) / 4 & (group - 1)) | (i & ~(group - 1))];
    put(w, v[u->d], row);
    SG_NEXT();
}

int sg_ds_permute(SG_ARGS)
{
    const unsigned group = permuted_lanes(w);
    uint32_t row[SG_MAX_LANES] = {0};
    for (uint64_t m = w->exec; m; m &= m - 1) { /* ascending: the highest lane wins */
        unsigned i = sg_first_lane(m);
        row[((v[u->a][i] + (uint32_t)u->imm) / 4 & (group - 1)) | (i & ~(group - 1))] = v[u->b][i];
    }
    put(w, v[u->d], row);
    SG_NEXT();
}

static unsigned reverse5(unsigned x)
{
    return (x & 1) << 4 | (x & 2) << 2 | (x & 4) | (x & 8) >> 2 | (x & 16) >> 4;
}

/* The lane that lane i reads; offset modes as in AMD's ISA guides, DS_SWIZZLE_B32. All modes stay inside the
 * group of 32 lanes. */
static unsigned swizzle_source(unsigned i, unsigned offset)
{
    unsigned in = i & 31, j;
    if (offset >= 0xe000) { /* FFT: bit reversal around a mask */
        unsigned mask = offset & 31;
        j = reverse5(in) >> __builtin_popcount(mask) | (in & mask);
    } else if (offset >= 0xc000) { /* rotate by [9:5], bit 10: to the other side; mask keeps lane bits */
        unsigned mask = offset & 31, by = offset >> 5 & 31;
        j = (in & mask) | ((offset & 0x400 ? in - by : in + by) & ~mask & 31);
    } else if (offset & 0x8000) { /* any order within four lanes */
        j = (in & ~3u) | (offset >> 2 * (in & 3) & 3);
    } else {
        j = ((in & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31);
    }
    return (i & 32) | j;
}

int sg_ds_swizzle(SG_ARGS)
{
    uint32_t from[SG_MAX_LANES], row[SG_MAX_LANES];
    active_only(w, v[u->a], from);
    for (unsigned i = 0; i < SG_MAX_LANES; i++)
        row[i] = from[swizzle_source(i, u->x)];
    put(w, v[u->d], row);
    SG_NEXT();
}

/* Adds or subtracts the number of active lanes; all of them get the value before. */
int sg_ds_append(SG_ARGS)
{
    uint32_t at = (s[SG_S_M0] & 0xffff) + (uint32_t)u->imm, old = 0, row[SG_MAX_LANES];
    if (!w->exec)
        SG_NEXT();
    if ((uint64_t)at + 4 <= w->wg->lds_bytes) {
        sg_u32u *p = (sg_u32u *)(w->wg->lds + at);
        old = *p;
        *p = old + u->x * (uint32_t)__builtin_popcountll(w->exec);
    }
    for (unsigned i = 0; i < SG_MAX_LANES; i++)
        row[i] = old;
    put(w, v[u->d], row);
    SG_NEXT();
}

static unsigned get_bits(const uint8_t *p, unsigned at, unsigned n)
{
    unsigned two = p[at / 8] | (at % 8 + n > 8 ? (unsigned)p[at / 8 + 1] << 8 : 0);
    return two >> at % 8 & ((1u << n) - 1);
}

static void set_bits(uint8_t *p, unsigned at, unsigned n, unsigned value)
{
    for (unsigned i = 0; i < n; i++, at++)
        p[at / 8] |= (uint8_t)((value >> i & 1) << at % 8);
}

/*
 * ds_read_b64_tr_b16 and kin (gfx950): a group of 16 lanes reads a matrix that has 16 columns, with 64 / bits
 * rows (16 for b6), stored row after row over the lanes' data; lane l receives column l. So element e of lane
 * l is element l % E of lane e * (16 / E) + l / E, where E is the number of elements per lane.
 */
int sg_ds_read_tr(SG_ARGS)
{
    const unsigned bits = u->x, bytes = bits == 6 ? 12 : 8, per_lane = bytes * 8 / bits;
    struct sg_mem_view view[1];
    uint8_t data[SG_MAX_LANES][12];
    if (!w->exec)
        SG_NEXT();
    if (w->exec != ~0ull)
        return sg_fault_at(w, u, SG_FAULT_UNIMPLEMENTED, 0, sg_first_lane(~w->exec), false,
                           "transposing LDS read with inactive lanes: its result is not documented");
    sg_mem_views(w, u, v, s, bytes, view);
    for (unsigned lane = 0; lane < SG_MAX_LANES; lane++) {
        uint64_t va;
        sg_view_read(w, view, lane, data[lane], bytes, &va); /* LDS: cannot fault */
    }
    for (unsigned lane = 0; lane < SG_MAX_LANES; lane++) {
        uint8_t out[12] = {0};
        unsigned l = lane % 16, group = lane - l;
        for (unsigned e = 0; e < per_lane; e++) {
            const uint8_t *from = data[group + e * 16 / per_lane + l / per_lane];
            if (bits == 16)
                memcpy(out + 2 * e, from + 2 * (l % per_lane), 2);
            else
                set_bits(out, e * bits, bits, get_bits(from, l % per_lane * bits, bits));
        }
        for (unsigned k = 0; k < bytes / 4; k++)
            memcpy(&v[u->d + k][lane], out + 4 * k, 4);
    }
    SG_NEXT();
}

/*
 * global_load_tr_b128, global_load_tr_b64 (gfx12): lanes load 16 or 8 bytes each, eight elements of 2 bytes or 1. Of a matrix of
 * 16 x 16 elements lane l gets column l % 16, rows 8 * (l / 16) to 8 * (l / 16) + 7, when it loads eight elements of a row:
 *
 *   elements of 2 bytes: row 8 * (l / 16) + l % 8, from column 8 * (l / 8 % 2) on
 *   elements of 1 byte:  row 4 * (l / 8) + l % 4,  from column 8 * (l / 4 % 2) on
 *
 * In wavefronts of 64 lanes the first 32 load, too, and what lane l would get goes half to lane l, half (rows 4 to 7) to
 * lane l + 32.
 *
 * "RDNA4 Instruction Set Architecture", 11.6.2, has the sizes, that addresses of lanes 32 to 63 are ignored, and that all lanes
 * must be active, "else the operation is undefined"; it does not say which lane gets what. Authors of programs measured that on
 * gfx1201 with 32 lanes, independently of each other and with the same result (they address matrices as above). For 64 lanes
 * AMD's Vulkan compiler tells: its cooperative matrices hold after such a load what they hold when lanes load rows
 * 8 * (l % 32 / 16) + 4 * (l / 32) on by themselves (llpc, LowerCooperativeMatrix, Gfx12BaseLayout). Nobody
 * has published a measurement of it.
 */
static unsigned transposed_from(unsigned lane, unsigned element, unsigned bytes)
{
    if (bytes == 16)
        return (lane & ~7u) + element;
    return (element & 3) + (lane >> 3 & 1) * 4 + (element >> 2) * 8 + (lane >> 4) * 16;
}

int sg_global_load_tr(SG_ARGS)
{
    enum { ELEMENTS = 8 };
    const unsigned bytes = u->x, size = bytes / ELEMENTS;
    struct sg_mem_view view[3];
    uint8_t data[SG_MAX_LANES][16];
    if (!w->exec)
        SG_NEXT();
    if (w->exec != w->all_lanes)
        return sg_fault_at(w, u, SG_FAULT_UNIMPLEMENTED, 0, sg_first_lane(w->exec), false,
                           "transposing load with inactive lanes: its result is not defined");
    sg_mem_views(w, u, v, s, bytes, view);
    for (unsigned lane = 0; lane < SG_HALF_LANES; lane++) {
        uint64_t va;
        if (!sg_view_read(w, view, lane, data[lane], bytes, &va))
            return sg_fault_page(w, u, va, lane, false);
    }
    const unsigned halves = w->lanes / SG_HALF_LANES, dwords = bytes / 4 / halves;
    for (unsigned lane = 0; lane < SG_HALF_LANES; lane++) {
        uint8_t out[16];
        for (unsigned e = 0; e < ELEMENTS; e++)
            memcpy(out + e * size, data[transposed_from(lane, e, bytes)] + lane % ELEMENTS * size, size);
        for (unsigned k = 0; k < bytes / 4; k++)
            memcpy(&v[u->d + k % dwords][lane + k / dwords * SG_HALF_LANES], out + 4 * k, 4);
    }
    SG_NEXT();
}
