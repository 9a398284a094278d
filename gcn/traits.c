/*
 * traits.c - names and traits of operations (tables/ops.inc), names of GPUs.
 */
#include "gcn.h"

bool gcn_target_find(const char *name, struct gcn_target *out)
{
    const struct ls_gpu *gpu = ls_gpu_find(name);
    if (!gpu || gpu->isa == LS_GPU_ISA_NONE)
        return false;
    *out = gcn_target_of(gpu);
    return true;
}

static const struct gcn_traits traits[GCN_OP_COUNT] = {
#define OP(ID, NAME, UNIT, ACCESS, BYTES, FLAGS) [ID] = {GCN_UNIT_##UNIT, GCN_ACCESS_##ACCESS, BYTES, FLAGS},
#include "tables/ops.inc"
#undef OP
};

static const uint16_t image_forms[GCN_OP_COUNT] = {
#define IMAGE(ID, FLAGS) [ID] = FLAGS,
#include "tables/images.inc"
#undef IMAGE
};

static const char *const names[GCN_OP_COUNT] = {
    [GCN_OP_INVALID] = "invalid",
#define OP(ID, NAME, UNIT, ACCESS, BYTES, FLAGS) [ID] = NAME,
#include "tables/ops.inc"
#undef OP
};

const char *gcn_op_name(unsigned op)
{
    return names[op < GCN_OP_COUNT ? op : GCN_OP_INVALID];
}

uint32_t gcn_image_form(unsigned op)
{
    return image_forms[op < GCN_OP_COUNT ? op : GCN_OP_INVALID];
}

const struct gcn_traits *gcn_traits(unsigned op)
{
    return &traits[op < GCN_OP_COUNT ? op : GCN_OP_INVALID];
}
