/* gen_valu_text.c - cases of the vector ALU as assembly text. */
#include <stdio.h>
#include "gen_valu.h"

const struct special gen_valu_specials[N_SPECIALS] = {
    {"vcc_lo", "vcc", 106}, {"vcc_hi", NULL, 107},  {"exec_lo", "exec", 126}, {"exec_hi", NULL, 127},
    {"m0", NULL, 124},      {"src_scc", NULL, 253}, {"src_vccz", NULL, 251},  {"src_execz", NULL, 252},
};

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
        text_add(c, "%s", n > 1 ? gen_valu_specials[o->index].text64 : gen_valu_specials[o->index].text32);
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

void gen_valu_print(struct tcase *c, const struct vcase *v)
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
