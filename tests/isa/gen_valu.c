/*
 * gen_valu.c - cases of the vector ALU: every operation of the reference tables in every encoding (e32, e64,
 * SDWA, DPP, VOP3P) with every operand kind and modifier.
 */
#include <stdlib.h>
#include "gen_valu.h"

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
        while (n > 1 && !gen_valu_specials[o->index].text64);
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
    c->fill = gen_valu_fill;
    c->ref = gen_valu_reference;
    gen_valu_print(c, v);
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
