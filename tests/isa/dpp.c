/* dpp.c - see dpp.h. */
#include <stdio.h>
#include "dpp.h"

struct dpp dpp_random(struct rng *r, unsigned k)
{
    struct dpp d = {.kind = (enum dpp_kind)(k < DPP_KINDS ? k : rng_below(r, DPP_KINDS))};
    d.kind = (enum dpp_kind)((d.kind + (k < DPP_KINDS ? rng_below(r, DPP_KINDS) : 0)) % DPP_KINDS);
    d.amount = d.kind == DPP_QUAD_PERM      ? rng_below(r, 256)
               : d.kind == DPP_ROW_NEWBCAST ? rng_below(r, 16)
                                            : 1 + rng_below(r, 15);
    d.row_mask = rng_below(r, 2) ? 15 : (uint8_t)rng_below(r, 16);
    d.bank_mask = rng_below(r, 2) ? 15 : (uint8_t)rng_below(r, 16);
    d.bound_ctrl = rng_below(r, 2);
    return d;
}

static int in_row(unsigned lane, int position)
{
    return position < 0 || position > 15 ? -1 : (int)(lane & ~15u) + position;
}

int dpp_source(const struct dpp *d, unsigned lane)
{
    int p = (int)(lane & 15), n = (int)d->amount, i = (int)lane;
    switch (d->kind) {
    case DPP_QUAD_PERM:
        return (i & ~3) + (n >> (2 * (i & 3)) & 3);
    case DPP_ROW_SHL: /* data moves to lower lanes */
        return in_row(lane, p + n);
    case DPP_ROW_SHR:
        return in_row(lane, p - n);
    case DPP_ROW_ROR:
        return in_row(lane, (p - n) & 15);
    case DPP_WAVE_SHL:
        return i + 1 < 64 ? i + 1 : -1;
    case DPP_WAVE_ROL:
        return (i + 1) & 63;
    case DPP_WAVE_SHR:
        return i - 1;
    case DPP_WAVE_ROR:
        return (i - 1) & 63;
    case DPP_ROW_MIRROR:
        return in_row(lane, 15 - p);
    case DPP_ROW_HALF_MIRROR:
        return in_row(lane, p ^ 7);
    /* Lanes before the first source read themselves, whatever bound_ctrl says (rocWMMA's unit test
     * cross_lane_ops, getDppWFallBCastExpect: "firstInRow > 0 ? firstInRow - 1 : input"). */
    case DPP_ROW_BCAST15: /* last lane of each row to the next row */
        return i < 16 ? i : (i & ~15) - 1;
    case DPP_ROW_BCAST31: /* lane 31 to rows 2 and 3 */
        return i < 32 ? i : 31;
    case DPP_ROW_NEWBCAST:
        return in_row(lane, n);
    default:
        return -1;
    }
}

bool dpp_source_ok(const struct dpp *d, unsigned lane, uint64_t exec)
{
    int s = dpp_source(d, lane);
    return s >= 0 && (exec >> s & 1);
}

bool dpp_writes(const struct dpp *d, unsigned lane, uint64_t exec)
{
    if (!(d->row_mask >> (lane / 16) & 1) || !(d->bank_mask >> (lane % 16 / 4) & 1))
        return false;
    return d->bound_ctrl || dpp_source_ok(d, lane, exec);
}

void dpp_text(const struct dpp *d, char *text, size_t size)
{
    char ctrl[40];
    static const char *const name[] = {NULL,          "row_shl",         "row_shr",      "row_ror",
                                       "wave_shl:1",  "wave_rol:1",      "wave_shr:1",   "wave_ror:1",
                                       "row_mirror",  "row_half_mirror", "row_bcast:15", "row_bcast:31",
                                       "row_newbcast"};
    unsigned n = d->amount;
    if (d->kind == DPP_QUAD_PERM)
        snprintf(ctrl, sizeof ctrl, "quad_perm:[%u,%u,%u,%u]", n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6 & 3);
    else if (d->kind <= DPP_ROW_ROR || d->kind == DPP_ROW_NEWBCAST)
        snprintf(ctrl, sizeof ctrl, "%s:%u", name[d->kind], n);
    else
        snprintf(ctrl, sizeof ctrl, "%s", name[d->kind]);
    snprintf(text, size, " %s row_mask:0x%x bank_mask:0x%x%s", ctrl, d->row_mask, d->bank_mask,
             d->bound_ctrl ? " bound_ctrl:0" : "");
}
