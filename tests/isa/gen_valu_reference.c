/*
 * gen_valu_reference.c - applies the reference to a register image: fetches operands, applies modifiers, writes results.
 */
#include <string.h>
#include "gen_valu.h"

/* ---- Reading sources. ---- */

static uint32_t scalar32(const struct sg_wave_image *w, unsigned index)
{
    switch (index) {
    case 253:
        return w->scc;
    case 251:
        return img_s64(w, 106) == 0;
    case 252:
        return img_s64(w, 126) == 0;
    default:
        return w->s[index];
    }
}
static uint64_t raw_source(const struct vcase *v, const struct sg_wave_image *w, unsigned i, unsigned lane,
                           uint64_t *upper)
{
    const struct opnd *o = &v->src[i];
    enum value_type t = v->op->src[i];
    unsigned n = type_dwords(t);
    uint64_t r;
    *upper = 0;
    switch (o->kind) {
    case K_VGPR:
        r = w->v[o->index][lane];
        if (n > 1)
            r |= (uint64_t)w->v[o->index + 1][lane] << 32;
        if (n > 2)
            *upper = w->v[o->index + 2][lane] | (uint64_t)w->v[o->index + 3][lane] << 32;
        return r;
    case K_SGPR:
        return n > 1 ? img_s64(w, o->index) : w->s[o->index];
    case K_SPECIAL:
        r = scalar32(w, gen_valu_specials[o->index].index);
        return n > 1 ? img_s64(w, gen_valu_specials[o->index].index) : r;
    case K_INLINE:
        return value_inline(o->index, t);
    default:
        return value_literal(o->literal, t);
    }
}
static uint64_t sdwa_select(uint32_t v, unsigned sel, bool sign_extend)
{
    if (sel < 4)
        return sign_extend ? (uint32_t)sext(v >> (8 * sel), 8) : v >> (8 * sel) & 0xff;
    if (sel < 6)
        return sign_extend ? (uint32_t)sext(v >> (16 * (sel - 4)), 16) : v >> (16 * (sel - 4)) & 0xffff;
    return v;
}
static uint64_t abs_neg(uint64_t v, enum value_type t, bool abs, bool neg)
{
    uint64_t sign = t == T_F16 ? 0x8000 : t == T_F32 ? 0x80000000 : 1ull << 63;
    if (abs)
        v &= ~sign;
    return neg ? v ^ sign : v;
}
static uint64_t packed_source(const struct vcase *v, uint64_t raw, unsigned i, enum value_type t)
{
    bool lo_sel = v->op_sel >> i & 1, hi_sel = v->op_sel_hi >> i & 1;
    bool neg_lo = v->neg >> i & 1, neg_hi = v->neg_hi >> i & 1;
    if (t == T_PKF32) {
        uint64_t lo = raw >> (32 * lo_sel) & 0xffffffff, hi = raw >> (32 * hi_sel) & 0xffffffff;
        return (lo ^ (uint64_t)neg_lo << 31) | (hi ^ (uint64_t)neg_hi << 31) << 32;
    }
    uint64_t lo = raw >> (16 * lo_sel) & 0xffff, hi = raw >> (16 * hi_sel) & 0xffff;
    return (lo ^ (uint64_t)neg_lo << 15) | (hi ^ (uint64_t)neg_hi << 15) << 16;
}
static uint64_t mix_source(const struct vcase *v, uint64_t raw, unsigned i)
{
    if (v->op_sel_hi >> i & 1)
        raw = bits_of_f32((float)f16_of(raw >> (16 * (v->op_sel >> i & 1))));
    return abs_neg(raw, T_F32, v->abs >> i & 1, v->neg >> i & 1);
}
static uint64_t source(const struct vcase *v, const struct sg_wave_image *w, unsigned i, unsigned lane,
                       uint64_t *upper)
{
    enum value_type t = v->op->src[i];
    unsigned from = v->form == FORM_DPP && i == 0 ? (unsigned)dpp_source(&v->dpp, lane) : lane;
    uint64_t raw = 0;
    *upper = 0;
    if (v->form == FORM_DPP && i == 0 && !dpp_source_ok(&v->dpp, lane, img_s64(w, 126)))
        raw = 0; /* bound_ctrl: reads 0 */
    else
        raw = raw_source(v, w, i, from, upper);
    if (v->op->flags & F_MIX)
        return mix_source(v, raw, i);
    if ((v->form == FORM_VOP3P || v->op->enc == E_VOP2) &&
        (t == T_PK16 || t == T_PKF16 || t == T_PKF32 || t == T_BF16x2))
        return v->form == FORM_VOP3P ? packed_source(v, raw, i, t) : raw;
    if (v->form == FORM_SDWA && i < 2)
        raw = sdwa_select((uint32_t)raw, v->src_sel[i], v->sext[i]);
    if (v->form == FORM_VOP3 || v->form == FORM_E64)
        if ((t == T_F16 || t == T_B16) && v->op_sel >> i & 1)
            raw >>= 16;
    if (is_float(t))
        raw = abs_neg(raw, t, v->abs >> i & 1, v->neg >> i & 1);
    return raw;
}

/* ---- Clamp and writing. ---- */

static uint64_t clamp_bits(uint64_t bits, enum value_type t)
{
    double v = t == T_F16 ? f16_of(bits) : t == T_F32 ? f32_of(bits) : f64_of(bits);
    uint64_t one = t == T_F16 ? 0x3c00 : t == T_F32 ? 0x3f800000 : 0x3ff0000000000000;
    if (!(v > 0)) /* NaN too: DX10_CLAMP is set */
        return 0;
    return v > 1 ? one : bits;
}
static uint64_t clamp_float(uint64_t bits, enum value_type t)
{
    switch (t) {
    case T_PKF16:
        return clamp_bits(bits & 0xffff, T_F16) | clamp_bits(bits >> 16, T_F16) << 16;
    case T_PKF32:
        return clamp_bits(bits & 0xffffffff, T_F32) | clamp_bits(bits >> 32, T_F32) << 32;
    case T_F16:
    case T_F32:
    case T_F64:
        return clamp_bits(bits, t);
    default:
        return bits;
    }
}
static uint32_t sdwa_write(const struct vcase *v, uint32_t result, uint32_t old)
{
    unsigned sel = v->dst_sel, width = sel < 4 ? 8 : 16, shift = sel < 4 ? 8 * sel : 16 * (sel - 4);
    if (sel == 6)
        return result;
    uint32_t mask = ((1u << width) - 1) << shift, placed = result << shift & mask;
    if (v->dst_unused == 2)
        return placed | (old & ~mask);
    if (v->dst_unused == 1 && (placed >> (shift + width - 1) & 1))
        return placed | (uint32_t)~(((uint64_t)1 << (shift + width)) - 1);
    return placed;
}
/* A 16-bit result inside its register. *other: the second placement that the documentation leaves open. */
static uint32_t half_write(const struct vcase *v, uint32_t r16, uint32_t old, uint32_t *other)
{
    bool high = v->op->flags & F_OPSEL3 && v->op_sel & 8;
    uint32_t keep = high ? (old & 0xffff) | r16 << 16 : (old & 0xffff0000) | r16;
    uint32_t zero = r16;
    *other = keep;
    if (high || v->rdna || v->op->flags & F_KEEP)
        return keep;
    if (v->op->flags & F_HALF)
        return zero;
    *other = zero;
    return zero;
}
static uint64_t place(const struct vcase *v, uint64_t result, uint32_t old, bool second)
{
    enum value_type t = v->op->dst;
    if (v->clamp && !(v->op->flags & F_ICLAMP))
        result = clamp_float(result, t);
    /* Whether a 16-bit result that SDWA writes as a dword clears the upper half on gfx10, no document says. */
    if (v->form == FORM_SDWA && second && v->rdna && v->dst_sel == GCN_SDWA_DWORD &&
        (t == T_F16 || t == T_B16))
        return (old & 0xffff0000) | (result & 0xffff);
    if (v->form == FORM_SDWA)
        return sdwa_write(v, (uint32_t)result, old);
    if (t == T_F16 || t == T_B16) {
        uint32_t other, r = half_write(v, (uint32_t)result & 0xffff, old, &other);
        return second ? other : r;
    }
    return result;
}
static enum value_type note_type(const struct vcase *v)
{
    enum value_type t = v->op->dst;
    if (t == T_F16) /* NaNs may stand in either half */
        return T_PKF16;
    return t;
}
static void write_result(const struct vcase *v, struct expect *e, const struct ref_lane *l, unsigned lane)
{
    struct sg_wave_image *w = e->w;
    unsigned row = v->dst.index, n = type_dwords(v->op->dst);
    uint64_t d = place(v, l->d, l->old, false);
    w->v[row][lane] = (uint32_t)d;
    if (n > 1)
        w->v[row + 1][lane] = (uint32_t)(d >> 32);
    if (n > 2) {
        w->v[row + 2][lane] = (uint32_t)l->d_hi;
        w->v[row + 3][lane] = (uint32_t)(l->d_hi >> 32);
        return;
    }
    struct note *note = expect_note(e);
    note->row = (uint16_t)row;
    note->lane = (uint8_t)lane;
    note->dwords = (uint8_t)n;
    note->type = (uint8_t)note_type(v);
    note->any = l->any;
    note->ulp = l->ulp;
    note->abs = l->abs;
    for (unsigned i = 0; i < l->n_alt; i++)
        note->alt[note->n_alt++] = place(v, l->alt[i], l->old, false);
    for (unsigned i = 0; v->rdna && i < l->n_alt && note->n_alt < MAX_ALT; i++)
        note->alt[note->n_alt++] = place(v, l->alt[i], l->old, true);
    if (note->n_alt < MAX_ALT && (v->op->dst == T_F16 || v->op->dst == T_B16))
        note->alt[note->n_alt++] = place(v, l->d, l->old, true);
    if (v->clamp && (d & ~(1ull << (32 * n - 1))) == 0 && note->n_alt < MAX_ALT)
        note->alt[note->n_alt++] = 1ull << (32 * n - 1); /* the sign of a clamped zero is not documented */
}

void gen_valu_reference(const struct tcase *c, struct expect *e)
{
    const struct vcase *v = c->data;
    const struct ref_op *op = v->op;
    static struct sg_wave_image before;
    memcpy(&before, e->w, sizeof before);
    uint64_t exec = img_s64(&before, 126), cin = img_s64(&before, op->flags & F_VCCIN ? 106 : v->cin);
    uint64_t bits = 0, open = 0;
    for (unsigned lane = 0; lane < 64; lane++) {
        if (!(exec >> lane & 1))
            continue;
        if (v->form == FORM_DPP && !dpp_writes(&v->dpp, lane, exec)) {
            open |= 1ull << lane;
            continue;
        }
        struct ref_lane l = {.clamp = v->clamp, .cin = cin >> lane & 1, .ocp = v->ocp};
        if (op->dst != T_BIT)
            l.old = before.v[v->dst.index][lane];
        for (unsigned i = 0; i < v->n_src; i++) {
            uint64_t upper;
            l.s[i] = source(v, &before, i, lane, &upper);
            if (i == 2)
                l.x[0] = upper;
        }
        if (op->flags & F_ACC) {
            l.s[2] = before.v[v->dst.index][lane];
            if (type_dwords(op->dst) > 1)
                l.s[2] |= (uint64_t)before.v[v->dst.index + 1][lane] << 32;
            if (op->dst == T_F16 || op->dst == T_F32)
                l.s[2] = abs_neg(l.s[2], op->dst, v->abs >> 2 & 1, v->neg >> 2 & 1);
        }
        op->fn(&l);
        bits |= (uint64_t)l.cout << lane;
        if (op->flags & F_CO && l.any)
            open |= 1ull << lane;
        if (op->dst != T_BIT)
            write_result(v, e, &l, lane);
    }
    const bool exec_alone =
        v->rdna && op->flags & F_CMPX; /* "AMD RDNA 2 ISA", VOPC: v_cmpx writes EXEC only */
    if ((op->dst == T_BIT && !exec_alone) || op->flags & F_CO) {
        img_set_s64(e->w, v->sdst, bits);
        if (open) {
            struct note *n = expect_note(e);
            *n = (struct note){
                .scalar = true, .row = (uint16_t)v->sdst, .dwords = 2, .type = T_BIT, .ignore = open};
        }
    }
    if (op->flags & F_CMPX)
        img_set_s64(e->w, 126, bits);
}

/* ---- Filling registers. ---- */

void gen_valu_fill(const struct tcase *c, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct vcase *v = c->data;
    (void)mem;
    if (v->op->dst != T_BIT)
        for (unsigned lane = 0; lane < 64; lane++) {
            uint64_t x = value_random(r, v->op->dst);
            w->v[v->dst.index][lane] = (uint32_t)x;
            if (type_dwords(v->op->dst) > 1)
                w->v[v->dst.index + 1][lane] = (uint32_t)(x >> 32);
        }
    for (unsigned i = 0; i < v->n_src; i++) {
        const struct opnd *o = &v->src[i];
        enum value_type t = v->op->src[i];
        if (v->op->flags & F_MIX && v->op_sel_hi >> i & 1)
            t = T_PKF16;
        unsigned n = type_dwords(t);
        for (unsigned lane = 0; o->kind == K_VGPR && lane < 64; lane++)
            for (unsigned k = 0; k < n; k += 2) {
                uint64_t x = value_random(r, t);
                w->v[o->index + k][lane] = (uint32_t)x;
                if (n > 1)
                    w->v[o->index + k + 1][lane] = (uint32_t)(x >> 32);
            }
        if (o->kind == K_SGPR) {
            uint64_t x = value_random(r, t);
            w->s[o->index] = (uint32_t)x;
            if (n > 1)
                w->s[o->index + 1] = (uint32_t)(x >> 32);
        }
    }
    if (rng_below(r, 8) == 0)
        img_set_s64(w, 106, 0); /* so that VCCZ is seen set */
}
