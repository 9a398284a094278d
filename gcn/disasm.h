/*
 * disasm.h - what the parts of the disassembler share.
 */
#ifndef GCN_DISASM_H
#define GCN_DISASM_H

#include "gcn.h"
#include "slots.h"

/* Text being written. */
struct out {
    char *text;
    unsigned size, used;
    bool first; /* no operand printed yet */
    bool rdna;  /* encoding of gfx10 or later */
    bool gfx11; /* or of gfx11 or later */
    bool gfx12; /* or of gfx12 */
};

/* Appends what fits. */
__attribute__((format(printf, 2, 3))) void gcn_print(struct out *o, const char *format, ...);
/* Separates operands: a blank behind the mnemonic, then commas. */
void gcn_print_separator(struct out *o);
/* One operand by itself; behind a separator, where there is one. */
void gcn_print_operand(struct out *o, const struct gcn_operand *op);
void gcn_print_next(struct out *o, const struct gcn_operand *op);

/* What stands behind the mnemonic, by format: VOP1, VOP2, VOPC and VOP3; VOP3P; VOPD; MFMA. */
void gcn_print_vector(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot);
void gcn_print_packed(struct out *o, const struct gcn_inst *in, const struct gcn_slot *slot);
void gcn_print_two(struct out *o, struct gcn_target target, const struct gcn_inst *in);
void gcn_print_matrix(struct out *o, struct gcn_target target, const struct gcn_inst *in,
                      const struct gcn_slot *slot);

#endif
