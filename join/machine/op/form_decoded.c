/* form_decoded.c - what a decoded instruction says of its memory access (op.h): traits in place of text. */
#include "gcn/gcn.h"
#include "op.h"

static enum ls_isa_class class_of(const struct gcn_traits *t)
{
    if (t->access == GCN_ACCESS_NONE || t->flags & GCN_WHOLE_WAVE)
        return LS_ISA_NONE;
    switch (t->unit) {
    case GCN_UNIT_LDS:
        return LS_ISA_LDS;
    case GCN_UNIT_FLAT:
    case GCN_UNIT_GLOBAL:
    case GCN_UNIT_BUFFER:
        return LS_ISA_VECTOR;
    case GCN_UNIT_SMEM:
        return LS_ISA_SCALAR;
    case GCN_UNIT_SCRATCH:
        return LS_ISA_SCRATCH;
    default:
        return LS_ISA_NONE;
    }
}

struct ls_isa_form ls_isa_form_decoded(const struct gcn_inst *in)
{
    const struct gcn_traits *t = gcn_traits(in->op);
    struct ls_isa_form f = {.class = class_of(t)};
    if (f.class == LS_ISA_NONE)
        return f;
    f.store = t->access == GCN_ACCESS_STORE;
    f.atomic = t->access == GCN_ACCESS_ATOMIC;
    f.swaps = f.atomic && t->flags & GCN_COMPARES;
    f.flat = t->unit == GCN_UNIT_FLAT;
    f.buffer = t->unit == GCN_UNIT_BUFFER;
    f.to_lds = f.class == LS_ISA_VECTOR && (t->flags & GCN_TO_LDS || in->lds);
    f.pair = t->flags & GCN_PAIR && !f.atomic;
    f.bytes = t->bytes;
    if (f.pair) { /* offsets count elements, or 64 elements in the st64 forms */
        int32_t unit = (int32_t)f.bytes * (t->flags & GCN_STRIDE64 ? 64 : 1);
        f.at = in->offset0 * unit;
        f.delta = in->offset1 * unit - f.at;
    } else if (!(t->flags & GCN_PAIR) && (f.class != LS_ISA_SCALAR || in->soffset.kind != GCN_OPND_NONE)) {
        f.at = in->offset;
    }
    return f;
}
