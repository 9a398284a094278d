/* gen_valu.h - a case of the vector ALU, for the files that make it (gen_valu.c), write its text (gen_valu_text.c) and
 * say what comes out (gen_valu_reference.c). */
#ifndef TESTS_ISA_GEN_VALU_H
#define TESTS_ISA_GEN_VALU_H

#include "dpp.h"
#include "ref_valu.h"
#include "values.h"

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
struct special {
    const char *text32, *text64;
    uint8_t index; /* s[] of the image; 253 SCC, 251 VCCZ, 252 EXECZ */
};
enum { N_SPECIALS = 8 };
extern const struct special gen_valu_specials[N_SPECIALS];

static inline bool is_float(enum value_type t)
{
    return t == T_F16 || t == T_F32 || t == T_F64;
}

/* Fills the registers that the case reads; what it writes, in the registers and notes of *e. */
void gen_valu_fill(const struct tcase *c, struct rng *r, struct sg_wave_image *w, uint8_t *mem);
void gen_valu_reference(const struct tcase *c, struct expect *e);
/* Adds the case's line of assembly to the text of `c`. */
void gen_valu_print(struct tcase *c, const struct vcase *v);

#endif
