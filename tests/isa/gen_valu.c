/*
 * gen_valu.c - cases of the vector ALU: every operation of the reference tables in every encoding (e32, e64,
 * SDWA, DPP, VOP3P) with every operand kind and modifier, and the driver that applies the reference to a
 * register image.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ref_valu.h"
#include "values.h"
#include "dpp.h"

enum form { FORM_E32, FORM_E64, FORM_SDWA, FORM_DPP, FORM_VOP3, FORM_VOP3P };
enum kind { K_VGPR, K_SGPR, K_INLINE, K_LITERAL, K_SPECIAL };

struct opnd {
    enum kind kind;
    unsigned index; /* register, inline encoding, or index of `specials` */
    uint32_t literal;
};

struct vcase {
    const struct ref_op *op;
    enum form form;
    bool ocp;
    bool rdna;
    unsigned n_src;
    struct opnd src[3], dst;
    unsigned sdst, cin; /* scalar pair: result bits or carry out; carry in */
    uint8_t abs, neg, neg_hi, op_sel, op_sel_hi, omod;
    bool clamp;
    uint8_t src_sel[2], dst_sel, dst_unused;
    bool sext[2];
    struct dpp dpp;
};

/* Scalar sources that are not numbered SGPRs. */
static const struct {
    const char *text32, *text64;
    uint8_t index; /* s[] of the image; 253 SCC, 251 VCCZ, 252 EXECZ */
} specials[] = {
    {"vcc_lo", "vcc", 106}, {"vcc_hi", NULL, 107},  {"exec_lo", "exec", 126}, {"exec_hi", NULL, 127},
    {"m0", NULL, 124},      {"src_scc", NULL, 253}, {"src_vccz", NULL, 251},  {"src_execz", NULL, 252},
};
enum { N_SPECIALS = sizeof specials / sizeof *specials };

static bool is_float(enum value_type t)
{
    return t == T_F16 || t == T_F32 || t == T_F64;
}

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
        r = scalar32(w, specials[o->index].index);
        return n > 1 ? img_s64(w, specials[o->index].index) : r;
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

static void run_reference(const struct tcase *c, struct expect *e)
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

static void fill(const struct tcase *c, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
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

/* ---- Text. ---- */

static void print_reg(struct tcase *c, char file, unsigned index, unsigned n)
{
    if (n > 1)
        text_add(c, "%c[%u:%u]", file, index, index + n - 1);
    else
        text_add(c, "%c%u", file, index);
}
static void print_scalar_pair(struct tcase *c, unsigned index)
{
    if (index == 106)
        text_add(c, "vcc");
    else
        print_reg(c, 's', index, 2);
}
static void print_source(struct tcase *c, const struct vcase *v, unsigned i)
{
    const struct opnd *o = &v->src[i];
    unsigned n = type_dwords(v->op->src[i]);
    bool plain = v->form == FORM_VOP3P && !(v->op->flags & F_MIX);
    bool neg = !plain && v->neg >> i & 1, abs = !plain && v->abs >> i & 1, sx = i < 2 && v->sext[i];
    if (neg)
        text_add(c, o->kind == K_INLINE ? "neg(" : "-");
    if (abs)
        text_add(c, "|");
    if (sx)
        text_add(c, "sext(");
    switch (o->kind) {
    case K_VGPR:
        print_reg(c, 'v', o->index, n);
        break;
    case K_SGPR:
        print_reg(c, 's', o->index, n);
        break;
    case K_INLINE:
        text_add(c, "%s", value_inline_text(o->index));
        break;
    case K_SPECIAL:
        text_add(c, "%s", n > 1 ? specials[o->index].text64 : specials[o->index].text32);
        break;
    case K_LITERAL:
        text_add(c, "0x%x", o->literal);
        break;
    }
    if (sx)
        text_add(c, ")");
    if (abs)
        text_add(c, "|");
    if (neg && o->kind == K_INLINE)
        text_add(c, ")");
}
static void print_bits(struct tcase *c, const char *name, unsigned bits, unsigned n)
{
    text_add(c, " %s:[", name);
    for (unsigned i = 0; i < n; i++)
        text_add(c, "%s%u", i ? "," : "", bits >> i & 1);
    text_add(c, "]");
}
static void print_sdwa(struct tcase *c, const struct vcase *v)
{
    static const char *const sel[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
    static const char *const unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
    if (v->op->dst != T_BIT)
        text_add(c, " dst_sel:%s dst_unused:%s", sel[v->dst_sel], unused[v->dst_unused]);
    for (unsigned i = 0; i < v->n_src && i < 2; i++)
        text_add(c, " src%u_sel:%s", i, sel[v->src_sel[i]]);
}
static void print_modifiers(struct tcase *c, const struct vcase *v)
{
    unsigned n = v->n_src;
    if (v->form == FORM_VOP3P && !(v->op->flags & F_NOOPSEL)) {
        uint8_t all = (uint8_t)((1u << n) - 1), default_hi = v->op->flags & F_MIX ? 0 : all;
        if (v->op_sel & all || (v->op_sel_hi & all) != default_hi) {
            print_bits(c, "op_sel", v->op_sel, n);
            print_bits(c, "op_sel_hi", v->op_sel_hi, n);
        }
        if (!(v->op->flags & F_MIX) && (v->neg || v->neg_hi)) {
            print_bits(c, "neg_lo", v->neg, n);
            print_bits(c, "neg_hi", v->neg_hi, n);
        }
    } else if (v->op->flags & F_OPSEL3 && v->op_sel) {
        unsigned bits = (v->op_sel & ((1u << n) - 1)) | (v->op_sel >> 3 & 1u) << n;
        print_bits(c, "op_sel", bits, n + 1);
    }
    if (v->clamp)
        text_add(c, " clamp");
    if (v->omod)
        text_add(c, "%s", v->omod == 1 ? " mul:2" : v->omod == 2 ? " mul:4" : " div:2");
    if (v->form == FORM_SDWA)
        print_sdwa(c, v);
    if (v->form == FORM_DPP) {
        char text[96];
        dpp_text(&v->dpp, text, sizeof text);
        text_add(c, "%s", text);
    }
}
static void print_case(struct tcase *c, const struct vcase *v)
{
    static const char *const suffix[] = {"_e32", "_e64", "_sdwa", "_dpp", "", ""};
    const struct ref_op *op = v->op;
    bool no_suffix = op->flags & (F_K | F_AK);
    text_add(c, "%s%s ", op->name, no_suffix ? "" : suffix[v->form]);
    if (op->dst == T_BIT) {
        print_scalar_pair(c, v->sdst);
    } else {
        print_reg(c, 'v', v->dst.index, type_dwords(op->dst));
        if (op->flags & F_CO) {
            text_add(c, ", ");
            print_scalar_pair(c, v->sdst);
        }
    }
    for (unsigned i = 0; i < v->n_src; i++) {
        text_add(c, ", ");
        print_source(c, v, i);
    }
    if (op->flags & F_CI) {
        text_add(c, ", ");
        print_scalar_pair(c, v->cin);
    }
    print_modifiers(c, v);
}

/* ---- Making cases. ---- */

struct maker {
    struct suite *s;
    struct rng r;
    const struct ref_op *op;
};

static unsigned random_vgpr(struct maker *m, unsigned dwords)
{
    unsigned i = rng_below(&m->r, 256 - dwords);
    return dwords > 1 ? i & ~1u : i;
}
static unsigned random_sgpr(struct maker *m, unsigned dwords)
{
    return rng_below(&m->r, 100) & ~(dwords - 1);
}
static void set_operand(struct maker *m, struct opnd *o, enum kind kind, enum value_type t)
{
    unsigned n = type_dwords(t);
    o->kind = kind;
    if (kind == K_VGPR) {
        o->index = random_vgpr(m, n);
    } else if (kind == K_SGPR) {
        o->index = random_sgpr(m, n);
    } else if (kind == K_INLINE) {
        bool floats = t == T_F16 || t == T_F32 || t == T_F64 || t == T_B32 || t == T_B64 || t == T_PKF32;
        o->index = t == T_PKF16                    ? 240 + rng_below(&m->r, 9)
                   : floats && rng_below(&m->r, 2) ? 240 + rng_below(&m->r, 9)
                                                   : 128 + rng_below(&m->r, 81);
    } else if (kind == K_SPECIAL) {
        do
            o->index = rng_below(&m->r, N_SPECIALS);
        while (n > 1 && !specials[o->index].text64);
    } else {
        do
            o->literal = (uint32_t)value_random(&m->r, t == T_F16 || t == T_F32 ? t : T_B32) | 0x10000;
        while (o->literal + 16 <= 80);
        if (t == T_F16 || t == T_B16)
            o->literal = (o->literal & 0x3ff) | 0x5500; /* not an inline constant */
        else
            o->literal |= 0x100;
    }
}
/* A case with random registers everywhere; the caller changes what it wants and calls finish. */
static struct vcase *start(struct maker *m, enum form form)
{
    struct vcase *v = calloc(1, sizeof *v);
    if (!v)
        exit(2);
    const struct ref_op *op = m->op;
    v->op = op;
    v->form = form;
    v->ocp = m->s->bit == A_950;
    v->rdna = m->s->rdna;
    while (v->n_src < 3 && op->src[v->n_src] != T_NONE)
        v->n_src++;
    for (unsigned i = 0; i < v->n_src; i++)
        set_operand(m, &v->src[i], K_VGPR, op->src[i]);
    v->dst.index = random_vgpr(m, type_dwords(op->dst));
    if (rng_below(&m->r, 4) == 0 && v->n_src) { /* destination is also a source */
        unsigned n = type_dwords(op->dst), k = v->src[rng_below(&m->r, v->n_src)].index;
        v->dst.index = n > 1 ? k & ~1u : k;
        if (v->dst.index + n > 256)
            v->dst.index = 0;
    }
    bool scalar_free = form == FORM_E64 || form == FORM_VOP3;
    v->sdst = scalar_free && rng_below(&m->r, 4) ? random_sgpr(m, 2) : 106;
    v->cin = scalar_free && rng_below(&m->r, 4) ? random_sgpr(m, 2) : 106;
    if (form == FORM_SDWA && op->dst == T_BIT && rng_below(&m->r, 2))
        v->sdst = random_sgpr(m, 2);
    for (unsigned i = 0; i < 2; i++)
        v->src_sel[i] = 6;
    v->dst_sel = 6;
    v->op_sel_hi = op->flags & F_MIX ? 0 : 7;
    if (op->flags & F_K)
        set_operand(m, &v->src[1], K_LITERAL, op->src[1]);
    if (op->flags & F_AK)
        set_operand(m, &v->src[2], K_LITERAL, op->src[2]);
    return v;
}
/* v_div_scale demands that source 0 is source 1 or source 2. */
static void tie_sources(struct maker *m, struct vcase *v)
{
    if (!strncmp(v->op->name, "v_div_scale", 11))
        v->src[0] = v->src[1 + rng_below(&m->r, 2)];
}
static void finish(struct maker *m, struct vcase *v)
{
    struct tcase *c = suite_add(m->s, m->op->name, 0);
    tie_sources(m, v);
    c->data = v;
    c->fill = fill;
    c->ref = run_reference;
    print_case(c, v);
}

static void random_float_modifiers(struct maker *m, struct vcase *v)
{
    if (v->op->flags & F_NOMOD)
        return;
    bool vop3b = v->op->flags & F_CO;
    for (unsigned i = 0; i < v->n_src; i++)
        if (is_float(v->op->src[i])) {
            v->neg |= (uint8_t)(rng_below(&m->r, 2) << i);
            if (!vop3b)
                v->abs |= (uint8_t)(rng_below(&m->r, 2) << i);
        }
    if (is_float(v->op->dst) && !(v->op->flags & F_NOCLAMP)) {
        v->clamp = rng_below(&m->r, 3) == 0;
        v->omod = rng_below(&m->r, 4) == 0 ? (uint8_t)(1 + rng_below(&m->r, 3)) : 0;
    }
}

static void make_e32(struct maker *m)
{
    static const enum kind kinds[] = {K_VGPR, K_VGPR, K_SGPR, K_INLINE, K_INLINE, K_SPECIAL, K_LITERAL};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct vcase *v = start(m, FORM_E32);
        if (!(m->op->flags & F_NOCONST))
            set_operand(m, &v->src[0], kinds[i], m->op->src[0]);
        if (m->op->flags & (F_K | F_AK) && kinds[i] == K_LITERAL)
            set_operand(m, &v->src[0], K_VGPR, m->op->src[0]);
        finish(m, v);
    }
}
static void make_e64(struct maker *m, enum form form)
{
    static const enum kind kinds[] = {K_SGPR, K_INLINE, K_INLINE, K_SPECIAL};
    unsigned n = 0;
    for (unsigned i = 0; i < 3; i++)
        n += m->op->src[i] != T_NONE;
    for (unsigned k = 0; k < 3; k++)
        finish(m, start(m, form));
    for (unsigned i = 0; i < n && !(m->op->flags & F_NOCONST); i++)
        for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            struct vcase *v = start(m, form);
            if (type_dwords(m->op->src[i]) < 4)
                set_operand(m, &v->src[i], kinds[k], m->op->src[i]);
            if (k == 2 && n > 1 && type_dwords(m->op->src[(i + 1) % n]) < 3) /* two constants */
                set_operand(m, &v->src[(i + 1) % n], K_INLINE, m->op->src[(i + 1) % n]);
            if (k == 0)
                random_float_modifiers(m, v);
            finish(m, v);
        }
    for (unsigned k = 0; k < 8; k++) {
        struct vcase *v = start(m, form);
        random_float_modifiers(m, v);
        if (m->op->flags & F_ICLAMP)
            v->clamp = true;
        if (m->op->flags & F_OPSEL3) {
            v->op_sel = (uint8_t)rng_below(&m->r, 16);
            for (unsigned i = 0; i < 3; i++)
                if (m->op->src[i] != T_F16 && m->op->src[i] != T_B16)
                    v->op_sel &= (uint8_t)~(1u << i);
            if (m->op->dst != T_F16 && m->op->dst != T_B16)
                v->op_sel &= 7;
        }
        finish(m, v);
    }
    if (m->op->flags & F_ACC) /* abs and neg on the accumulator do not exist; two equal sources do */
        finish(m, start(m, form));
}
static void make_sdwa(struct maker *m)
{
    for (unsigned i = 0; i < 3; i++)
        if (m->op->src[i] != T_NONE && type_dwords(m->op->src[i]) > 1)
            return;
    if (m->op->flags & (F_K | F_AK | F_NOCONST) || type_dwords(m->op->dst) > (m->op->dst == T_BIT ? 2 : 1))
        return;
    for (unsigned k = 0; k < 10; k++) {
        struct vcase *v = start(m, FORM_SDWA);
        for (unsigned i = 0; i < v->n_src; i++) {
            enum value_type t = v->op->src[i];
            v->src_sel[i] = (uint8_t)rng_below(&m->r, 7);
            bool whole = v->src_sel[i] == 6 || (t == T_F16 && v->src_sel[i] >= 4);
            if (is_float(t) && whole) {
                v->neg |= (uint8_t)(rng_below(&m->r, 2) << i);
                v->abs |= (uint8_t)(rng_below(&m->r, 2) << i);
            }
            if (!is_float(t) && v->src_sel[i] != 6)
                v->sext[i] = rng_below(&m->r, 2);
            if (rng_below(&m->r, 4) == 0)
                set_operand(m, &v->src[i], K_SGPR, t);
        }
        if (v->op->dst != T_BIT && !(v->op->flags & F_ACC)) {
            bool half = v->op->dst == T_F16;
            v->dst_sel = half                  ? (uint8_t)(4 + rng_below(&m->r, 3))
                         : v->op->dst == T_F32 ? 6
                                               : (uint8_t)rng_below(&m->r, 7);
            v->dst_unused = (uint8_t)rng_below(&m->r, 3);
            if (half && v->dst_unused == 1)
                v->dst_unused = 2;
            v->clamp = v->op->flags & F_ICLAMP && v->dst_sel == 6 && rng_below(&m->r, 3) == 0;
        }
        finish(m, v);
    }
}
static void make_dpp(struct maker *m)
{
    bool sweep = !strcmp(m->op->name, "v_mov_b32") || !strcmp(m->op->name, "v_add_u32") ||
                 !strcmp(m->op->name, "v_add_f32") || !strcmp(m->op->name, "v_max_i32");
    if (m->op->flags & (F_K | F_AK) || m->op->dst == T_BIT)
        return;
    for (unsigned k = 0; k < (sweep ? 120u : 4u); k++) {
        struct vcase *v = start(m, FORM_DPP);
        v->dpp = dpp_random(&m->r, k);
        for (unsigned i = 0; i < v->n_src && i < 2; i++)
            if (is_float(v->op->src[i]) && !(v->op->flags & F_NOMOD)) {
                v->neg |= (uint8_t)(rng_below(&m->r, 2) << i);
                v->abs |= (uint8_t)(rng_below(&m->r, 2) << i);
            }
        finish(m, v);
    }
}
static void make_vop3p(struct maker *m)
{
    const struct ref_op *op = m->op;
    /* From gfx940 on the dot products have no op_sel. */
    bool no_op_sel = op->flags & F_NOOPSEL || (!strncmp(op->name, "v_dot2", 6) && m->s->bit != A_90A);
    for (unsigned k = 0; k < 24; k++) {
        struct vcase *v = start(m, FORM_VOP3P);
        bool constant = k >= 16 && !(op->flags & F_NOCONST);
        unsigned pick = rng_below(&m->r, v->n_src);
        if (k > 0 && !no_op_sel) {
            for (unsigned i = 0; i < v->n_src; i++) {
                enum value_type t = op->src[i];
                bool packed =
                    type_dwords(t) == 2 || t == T_PK16 || t == T_PKF16 || t == T_BF16x2 || op->flags & F_MIX;
                if (packed) {
                    v->op_sel |= (uint8_t)(rng_below(&m->r, 2) << i);
                    v->op_sel_hi &= (uint8_t)~(rng_below(&m->r, 2) << i);
                }
                if (op->flags & F_MIX)
                    v->op_sel_hi |= (uint8_t)(rng_below(&m->r, 2) << i);
                bool floats = t == T_PKF16 || t == T_PKF32 || t == T_BF16x2 || op->flags & F_MIX;
                if (floats && !(op->flags & F_NOMOD)) {
                    v->neg |= (uint8_t)(rng_below(&m->r, 2) << i);
                    if (op->flags & F_MIX)
                        v->abs |= (uint8_t)(rng_below(&m->r, 2) << i);
                    else
                        v->neg_hi |= (uint8_t)(rng_below(&m->r, 2) << i);
                }
            }
        }
        bool float_clamp = (op->dst == T_PKF16 || op->dst == T_PKF32 || op->dst == T_F32) &&
                           !(op->flags & (F_NOMOD | F_NOCLAMP));
        v->clamp = (float_clamp || op->flags & F_ICLAMP) && rng_below(&m->r, 3) == 0;
        if (constant) {
            set_operand(m, &v->src[pick], k < 20 ? K_SGPR : K_INLINE, op->src[pick]);
            if (k >= 20 && type_dwords(op->src[pick]) == 2) { /* high half of a constant is not defined */
                v->op_sel &= (uint8_t)~(1u << pick);
                v->op_sel_hi &= (uint8_t)~(1u << pick);
            }
        }
        finish(m, v);
    }
}

static void make_op(struct suite *s, const struct ref_op *op)
{
    const bool own = s->rdna && op->arch & A_1030;
    if (!(op->arch & s->bit || own) || !suite_wants(s, op->name))
        return;
    uint64_t seed = 7;
    for (const char *p = op->name; *p; p++)
        seed = seed * 131 + (unsigned char)*p;
    struct maker m = {s, {seed}, op};
    switch (op->enc) {
    case E_VOP1:
    case E_VOP2:
    case E_VOPC:
        make_e32(&m);
        make_e64(&m, FORM_E64);
        make_sdwa(&m);
        make_dpp(&m);
        break;
    case E_VOP3:
        make_e64(&m, FORM_VOP3);
        break;
    case E_VOP3P:
        make_vop3p(&m);
        break;
    }
}

void gen_valu(struct suite *s)
{
    const struct ref_list lists[] = {ref_int_ops, ref_f32_ops, ref_f64_ops, ref_f16_ops,
                                     ref_pk_ops,  ref_cvt_ops, ref_cmp_ops};
    for (unsigned k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < lists[k].n; i++)
            make_op(s, &lists[k].op[i]);
}
