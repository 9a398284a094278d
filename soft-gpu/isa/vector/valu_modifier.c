/*
 * valu_modifier.c - micro-operations that stand before and after a vector operation: scalars spread over a
 * row, abs/neg, SDWA selects (MI200 ISA section 6.3 "Sub-dword addressing"), DPP (6.4), clamp and omod
 * (6.2.2), and the switch of the host's float mode.
 *
 * Those before write temporary rows in all lanes; those after work in place on active lanes.
 */
#include <pthread.h>
#include "valu.h"

__attribute__((preserve_most, cold)) unsigned sg_fp_enter(unsigned round, unsigned denorm)
{
    /* MODE: 0 even, 1 up, 2 down, 3 zero. MXCSR: 0 even, 1 down, 2 up, 3 zero. */
    static const unsigned rounding[4] = {_MM_ROUND_NEAREST, _MM_ROUND_UP, _MM_ROUND_DOWN,
                                         _MM_ROUND_TOWARD_ZERO};
    const unsigned old = _mm_getcsr();
    unsigned csr = old & ~(_MM_ROUND_MASK | _MM_FLUSH_ZERO_MASK | _MM_DENORMALS_ZERO_MASK);
    csr |= rounding[round & 3];
    if (!(denorm & 1))
        csr |= _MM_DENORMALS_ZERO_ON;
    if (!(denorm & 2))
        csr |= _MM_FLUSH_ZERO_ON;
    _mm_setcsr(csr);
    __asm__ volatile("" ::: "memory");
    return old;
}

int sg_valu_splat32(SG_ARGS)
{
    uint32_t *d = v[u->d];
    const uint32_t a = s[u->a];
    SG_EACH_LANE
    d[i] = a;
    SG_NEXT();
}

int sg_valu_splat64(SG_ARGS)
{
    uint32_t *lo = v[u->d], *hi = v[u->d + 1];
    const uint32_t a = s[u->a], b = s[u->a + 1];
    SG_EACH_LANE
    {
        lo[i] = a;
        hi[i] = b;
    }
    SG_NEXT();
}

int sg_valu_bits32(SG_ARGS)
{
    uint32_t *d = v[u->d];
    const uint32_t *a = v[u->a];
    const uint32_t shift = (uint32_t)u->imm, mask = u->flags, flip = u->x;
    SG_EACH_LANE
    d[i] = (a[i] >> shift & mask) ^ flip;
    SG_NEXT();
}

int sg_valu_scalar_bits32(SG_ARGS)
{
    s[u->d] = (s[u->a] >> u->imm & u->flags) ^ u->x;
    SG_NEXT();
}

int sg_valu_bits64(SG_ARGS)
{
    uint32_t *lo = v[u->d], *hi = v[u->d + 1];
    const uint32_t *a = v[u->a], *b = v[u->a + 1];
    const uint32_t mask = u->flags, flip = u->x;
    SG_EACH_LANE
    {
        lo[i] = a[i];
        hi[i] = (b[i] & mask) ^ flip;
    }
    SG_NEXT();
}

int sg_valu_scalar_bits64(SG_ARGS)
{
    uint32_t lo = s[u->a], hi = s[u->a + 1];
    s[u->d] = lo;
    s[u->d + 1] = (hi & u->flags) ^ u->x;
    SG_NEXT();
}

int sg_valu_halves(SG_ARGS)
{
    uint32_t *d = v[u->d];
    const uint32_t *a = v[u->a];
    const uint32_t low = u->imm & 1 ? 16 : 0, high = u->imm & 2 ? 16 : 0, flip = u->x;
    SG_EACH_LANE
    d[i] = ((a[i] >> low & 0xffff) | (a[i] >> high) << 16) ^ flip;
    SG_NEXT();
}

/* ---- SDWA ---- */

#define EXTRACT_HANDLER(STORAGE, NAME, LANES)                                                                \
    STORAGE int NAME(SG_ARGS)                                                                                \
    {                                                                                                        \
        uint32_t *d = v[u->d];                                                                               \
        const uint32_t *a = v[u->a];                                                                         \
        const uint32_t left = 32 - u->x - (uint32_t)u->imm, right = 32 - (uint32_t)u->imm;                   \
        if (u->flags) {                                                                                      \
            SG_EACH_OF(LANES)                                                                                \
            d[i] = (uint32_t)((int32_t)(a[i] << left) >> right);                                             \
        } else {                                                                                             \
            SG_EACH_OF(LANES)                                                                                \
            d[i] = a[i] << left >> right;                                                                    \
        }                                                                                                    \
        SG_NEXT();                                                                                           \
    }
EXTRACT_HANDLER(, sg_valu_extract, SG_MAX_LANES)
EXTRACT_HANDLER(static, sg_valu_extract_low, SG_HALF_LANES)
SG_LOW(sg_valu_extract)

int sg_valu_insert(SG_ARGS)
{
    enum { PAD, SIGN, PRESERVE };
    uint32_t *d = v[u->d];
    const uint32_t *a = v[u->a], *m = w->xm;
    const uint32_t field = (uint32_t)((1ull << u->imm) - 1) << u->x, shift = u->x;
    const uint32_t top = (uint32_t)u->imm + u->x;
    const uint32_t above = top >= 32 ? 0 : ~0u << top;
    const uint32_t sign = u->flags == SIGN ? 1u << (u->imm - 1) : 0;
    const uint32_t keep = u->flags == PRESERVE ? ~field : 0;
    SG_EACH_LANE
    {
        uint32_t value = (a[i] << shift & field) | (a[i] & sign ? above : 0) | (d[i] & keep);
        d[i] = sg_blend(m[i], value, d[i]);
    }
    SG_NEXT();
}

/* ---- Clamp and omod ---- */

/* To [0, 1]; NaN becomes 0 with DX10_CLAMP and stays without. */
static inline float clamp_f32(float x, bool dx10)
{
    float r = x > 0.0f ? x : 0.0f;
    r = r < 1.0f ? r : 1.0f;
    return x != x && !dx10 ? x : r;
}

static inline double clamp_f64(double x, bool dx10)
{
    double r = x > 0.0 ? x : 0.0;
    r = r < 1.0 ? r : 1.0;
    return x != x && !dx10 ? x : r;
}

int sg_valu_clamp32(SG_ARGS)
{
    uint32_t *d = v[u->d];
    const uint32_t *m = w->xm;
    const bool dx10 = w->mode & SG_MODE_DX10_CLAMP;
    SG_EACH_LANE
    d[i] = sg_blend(m[i], sg_u32(clamp_f32(sg_f32(d[i]), dx10)), d[i]);
    SG_NEXT();
}

int sg_valu_clamp64(SG_ARGS)
{
    uint32_t *lo = v[u->d], *hi = v[u->d + 1];
    const uint32_t *m = w->xm;
    const bool dx10 = w->mode & SG_MODE_DX10_CLAMP;
    SG_EACH_LANE
    {
        uint64_t r = sg_u64(clamp_f64(sg_f64((uint64_t)hi[i] << 32 | lo[i]), dx10));
        lo[i] = sg_blend(m[i], (uint32_t)r, lo[i]);
        hi[i] = sg_blend(m[i], (uint32_t)(r >> 32), hi[i]);
    }
    SG_NEXT();
}

int sg_valu_clamp16(SG_ARGS)
{
    uint32_t *d = v[u->d];
    const uint32_t *m = w->xm;
    const bool dx10 = w->mode & SG_MODE_DX10_CLAMP;
    SG_EACH_LANE
    d[i] = sg_blend(m[i], sg_f16_of_f32(clamp_f32(sg_f32_of_f16(d[i]), dx10)), d[i]);
    SG_NEXT();
}

int sg_valu_clamp_pk16(SG_ARGS)
{
    uint32_t *d = v[u->d];
    const uint32_t *m = w->xm;
    const bool dx10 = w->mode & SG_MODE_DX10_CLAMP;
    SG_EACH_LANE
    {
        uint32_t lo = sg_f16_of_f32(clamp_f32(sg_f32_of_f16(d[i]), dx10));
        uint32_t hi = sg_f16_of_f32(clamp_f32(sg_f32_of_f16(d[i] >> 16), dx10));
        d[i] = sg_blend(m[i], hi << 16 | lo, d[i]);
    }
    SG_NEXT();
}

/* Output modifiers are ignored when results may be denormal or IEEE is on (MI200 ISA section 6.2.2). */
static bool omod_applies(uint32_t mode, uint32_t output_denormals)
{
    return !(mode & SG_MODE_IEEE) && !(mode & output_denormals);
}

static const float omod_factor[4] = {1.0f, 2.0f, 4.0f, 0.5f};

int sg_valu_omod32(SG_ARGS)
{
    uint32_t *d = v[u->d];
    const uint32_t *m = w->xm;
    const float factor = omod_factor[u->imm];
    if (omod_applies(w->mode, 0x20)) {
        unsigned csr = sg_fp_enter(w->mode & 3, 0);
        SG_EACH_LANE
        d[i] = sg_blend(m[i], sg_u32(sg_f32(d[i]) * factor + 0.0f), d[i]);
        sg_fp_leave(csr);
    }
    SG_NEXT();
}

int sg_valu_omod64(SG_ARGS)
{
    uint32_t *lo = v[u->d], *hi = v[u->d + 1];
    const uint32_t *m = w->xm;
    const double factor = omod_factor[u->imm];
    if (omod_applies(w->mode, 0x80)) {
        unsigned csr = sg_fp_enter(w->mode >> 2 & 3, 0);
        SG_EACH_LANE
        {
            uint64_t r = sg_u64(sg_f64((uint64_t)hi[i] << 32 | lo[i]) * factor + 0.0);
            lo[i] = sg_blend(m[i], (uint32_t)r, lo[i]);
            hi[i] = sg_blend(m[i], (uint32_t)(r >> 32), hi[i]);
        }
        sg_fp_leave(csr);
    }
    SG_NEXT();
}

int sg_valu_omod16(SG_ARGS)
{
    uint32_t *d = v[u->d];
    const uint32_t *m = w->xm;
    const float factor = omod_factor[u->imm];
    if (omod_applies(w->mode, 0x80)) {
        unsigned csr = sg_fp_enter(w->mode >> 2 & 3, 3);
        SG_EACH_LANE
        {
            uint32_t r = sg_flush16(sg_f16_of_f32(sg_f32_of_f16(d[i]) * factor + 0.0f), 0x3ff);
            d[i] = sg_blend(m[i], r, d[i]);
        }
        sg_fp_leave(csr);
    }
    SG_NEXT();
}

/* ---- DPP ---- */

enum { DPP_CONTROLS = 0x170 };

/* For each control word the lane that lane i reads, and which lanes have such a lane. */
static struct {
    uint8_t from[SG_MAX_LANES];
    uint64_t valid;
} dpp_table[DPP_CONTROLS];
static pthread_once_t dpp_once = PTHREAD_ONCE_INIT;

/* Lane that `lane` reads under `ctrl`, or -1. Encodings: MI200 ISA section 6.4, table "DPP_CTRL". Controls that
 * go beyond rows exist only on GPUs whose wavefronts have 64 lanes. */
static int dpp_from(unsigned ctrl, int lane)
{
    const int last = SG_MAX_LANES - 1;
    int row = lane & ~15, in_row = lane & 15, amount = (int)(ctrl & 15);
    if (ctrl <= 0xff)
        return (lane & ~3) | (int)(ctrl >> 2 * (lane & 3) & 3);
    switch (ctrl & ~15u) {
    case 0x100: /* row_shl */
        return amount && in_row + amount < 16 ? lane + amount : -1;
    case 0x110: /* row_shr */
        return amount && in_row - amount >= 0 ? lane - amount : -1;
    case 0x120: /* row_ror */
        return row | ((in_row - amount) & 15);
    case 0x150: /* row_newbcast; gfx10: row_share */
        return row | amount;
    case 0x160: /* row_xmask */
        return lane ^ amount;
    }
    switch (ctrl) {
    case 0x130: /* wave_shl:1 */
        return lane < last ? lane + 1 : -1;
    case 0x134: /* wave_rol:1 */
        return (lane + 1) & last;
    case 0x138: /* wave_shr:1 */
        return lane - 1;
    case 0x13c: /* wave_ror:1 */
        return (lane - 1) & last;
    case 0x140: /* row_mirror */
        return row | (15 - in_row);
    case 0x141: /* row_half_mirror */
        return (lane & ~7) | (7 - (lane & 7));
    /* Lanes before the first source have a source all the same: themselves. So expects rocWMMA's unit test
     * cross_lane_ops, with both settings of bound_ctrl. */
    case 0x142: /* row_bcast:15, to the next row */
        return row ? row - 1 : lane;
    case 0x143: /* row_bcast:31, to rows 2 and 3 */
        return lane >= 32 ? 31 : lane;
    }
    return -1;
}

static void dpp_fill(void)
{
    for (unsigned ctrl = 0; ctrl < DPP_CONTROLS; ctrl++)
        for (int lane = 0; lane < SG_MAX_LANES; lane++) {
            int from = dpp_from(ctrl, lane);
            dpp_table[ctrl].from[lane] = (uint8_t)(from < 0 ? 0 : from);
            if (from >= 0)
                dpp_table[ctrl].valid |= 1ull << lane;
        }
}

/* Lanes that row_mask (a bit per 16 lanes) and bank_mask (a bit per 4 lanes of each row) let write. */
static uint64_t dpp_write_mask(uint32_t row_mask, uint32_t bank_mask)
{
    uint64_t mask = 0;
    for (unsigned lane = 0; lane < SG_MAX_LANES; lane++)
        if ((row_mask >> lane / 16 & 1) && (bank_mask >> lane % 16 / 4 & 1))
            mask |= 1ull << lane;
    return mask;
}

/* Moves the rows; returns the lanes that have got something: those whose source is there (`valid`) and active, or
 * read all the same. */
static uint64_t dpp_move(const struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint8_t *from,
                         uint64_t valid)
{
    uint64_t readable = u->flags & SG_DPP_FETCH_INACTIVE ? ~0ull : 0;
    for (unsigned i = 0; i < SG_MAX_LANES && !(u->flags & SG_DPP_FETCH_INACTIVE); i++)
        readable |= (w->exec >> from[i] & 1) << i;
    readable &= valid;
    for (int r = 0; r < u->imm; r++) {
        const uint32_t *a = v[u->a + r];
        uint32_t *d = v[u->d + r];
        for (unsigned i = 0; i < SG_MAX_LANES; i++)
            d[i] = readable >> i & 1 ? a[from[i]] : 0;
    }
    return readable;
}

/* x: for each lane of eight the lane that it reads, 3 bits. All active lanes write, 0 where the source is not
 * active ("AMD RDNA 2 Instruction Set Architecture", section DPP8). */
int sg_valu_dpp8(SG_ARGS)
{
    uint8_t from[SG_MAX_LANES];
    for (unsigned i = 0; i < SG_MAX_LANES; i++)
        from[i] = (uint8_t)((i & ~7u) | (u->x >> 3 * (i & 7) & 7));
    dpp_move(w, u, v, from, ~0ull);
    SG_NEXT();
}

/* x: control in bits 15:0, row_mask 19:16, bank_mask 23:20, bound_ctrl 24. */
int sg_valu_dpp(SG_ARGS)
{
    pthread_once(&dpp_once, dpp_fill);
    const unsigned ctrl = u->x & 0xffff;
    const uint64_t readable = dpp_move(w, u, v, dpp_table[ctrl].from, dpp_table[ctrl].valid);
    uint64_t mask = w->exec & dpp_write_mask(u->x >> 16 & 15, u->x >> 20 & 15);
    if (!(u->x >> 24 & 1))
        mask &= readable;
    w->exec = mask;
    sg_spread_bits(mask, w->xm, SG_MAX_LANES);
    SG_NEXT();
}

int sg_valu_dpp_end(SG_ARGS)
{
    w->exec = sg_exec_register(w, s);
    sg_spread_bits(w->exec, w->xm, SG_MAX_LANES);
    SG_NEXT();
}
