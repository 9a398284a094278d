/*
 * decode_image.c - MIMG of gfx10 and gfx11: "RDNA2 Instruction Set Architecture" and "RDNA3 Instruction Set Architecture",
 * section "MIMG" of the chapter on microcode formats; where those leave the length of an address open, LLVM's
 * AMDGPU::getAddrSizeMIMGOp.
 *
 * The address is a run of registers, or, where the field NSA says so ("non-sequential address"), registers that further
 * words name one by one. gfx11 has one such word at most: the last register that it names begins a run of all that is left.
 */
#include "decode.h"

/* Places of the fields that the two encodings have at different ones, counted through both words. */
struct places {
    uint8_t dim, sampler, unorm, glc, slc, dlc, r128, tfe, lwe, a16, d16;
};
static const struct places gfx10_places = {.dim = 3,
                                           .sampler = 53,
                                           .unorm = 12,
                                           .glc = 13,
                                           .slc = 25,
                                           .dlc = 7,
                                           .r128 = 15,
                                           .tfe = 16,
                                           .lwe = 17,
                                           .a16 = 62,
                                           .d16 = 63};
static const struct places gfx11_places = {.dim = 2,
                                           .sampler = 58,
                                           .unorm = 7,
                                           .glc = 14,
                                           .slc = 12,
                                           .dlc = 13,
                                           .r128 = 15,
                                           .tfe = 53,
                                           .lwe = 54,
                                           .a16 = 16,
                                           .d16 = 17};

enum { RAY_DWORDS = 11, RAY_DWORDS_A16 = 8 }; /* and one more where the node's address has 64 bits */

unsigned gcn_image_leading(const struct gcn_inst *in)
{
    static const uint8_t gradients[] = {2, 4, 6, 4, 2, 4, 4, 4};
    const uint32_t form = gcn_image_form(in->op);
    const unsigned n = !!(form & GCN_IMAGE_OFFSET) + !!(form & GCN_IMAGE_BIAS) + !!(form & GCN_IMAGE_COMPARE);
    if (form & GCN_IMAGE_HALF_GRADIENTS) /* those along x and those along y begin a register each */
        return n + (gradients[in->dim] / 2u + 1) / 2 * 2;
    return n + (form & GCN_IMAGE_GRADIENTS ? gradients[in->dim] : 0);
}

unsigned gcn_image_address(const struct gcn_inst *in)
{
    static const uint8_t coordinates[] = {1, 2, 3, 3, 2, 3, 3, 4};
    const uint32_t form = gcn_image_form(in->op);
    const bool a16 = in->flags & GCN_INST_A16;
    if (form & GCN_IMAGE_RAY)
        return (a16 ? RAY_DWORDS_A16 : RAY_DWORDS) + (in->op == GCN_OP_IMAGE_BVH64_INTERSECT_RAY);
    unsigned n = (form & GCN_IMAGE_COORDINATES ? coordinates[in->dim] : 0) + !!(form & GCN_IMAGE_LEVEL);
    return gcn_image_leading(in) + (a16 ? (n + 1) / 2 : n);
}

/* Registers of the run that begins at address register `at`; `runs` is how many more the words can name. The parts of a
 * ray are vectors of three on gfx11, behind the node and the length. */
static unsigned run_length(const struct cursor *c, const struct gcn_inst *in, unsigned at, unsigned left,
                           unsigned runs)
{
    const bool ray = gcn_image_form(in->op) & GCN_IMAGE_RAY;
    if (!c->gfx11)
        return 1;
    if (ray && !at && in->op == GCN_OP_IMAGE_BVH64_INTERSECT_RAY)
        return 2;
    if (ray && in->n_runs > 1)
        return left < 3 ? left : 3;
    return runs == 1 ? left : 1;
}

static bool add_run(struct gcn_inst *in, unsigned first, unsigned count)
{
    if (first + count > 256)
        return false;
    in->run[in->n_runs].first = (uint8_t)first;
    in->run[in->n_runs++].count = (uint8_t)count;
    return true;
}

static bool decode_address(struct cursor *c, struct gcn_inst *in)
{
    const unsigned further = c->gfx11 ? bits(c->words[0], 0, 0) : bits(c->words[0], 2, 1);
    const unsigned all = gcn_image_address(in), first = bits(c->words[1], 7, 0);
    in->addr = vgpr(first, 1, false);
    if (c->available < 2 + further)
        return false;
    c->size = 2 + further;
    if (!further) {
        in->addr.dwords = (uint8_t)all;
        return add_run(in, first, all);
    }
    for (unsigned at = 0, i = 0, length; at < all && i < 1 + 4 * further; at += length, i++) {
        unsigned named = i ? bits(c->words[2 + (i - 1) / 4], (i - 1) % 4 * 8 + 7, (i - 1) % 4 * 8) : first;
        length = run_length(c, in, at, all - at, 1 + 4 * further - i);
        if (!add_run(in, named, length))
            return false;
    }
    return true;
}

static unsigned data_dwords(const struct cursor *c, const struct gcn_slot *s, const struct gcn_inst *in)
{
    unsigned n = (unsigned)__builtin_popcount((unsigned)in->simm16);
    if (gcn_image_form(s->op) & GCN_IMAGE_GATHERS || (c->gfx11 && s->op == GCN_OP_IMAGE_MSAA_LOAD))
        n = 4; /* texels or samples, of one component */
    n = in->flags & GCN_INST_D16 ? (n + 1) / 2 : n;
    return (n ? n : 1) + !!(in->flags & GCN_INST_TFE);
}

static void take_data(const struct gcn_slot *s, struct gcn_operand data, struct gcn_inst *in)
{
    if (!(s->flags & (SLOT_STORE | SLOT_ATOMIC))) {
        in->dst = data;
        return;
    }
    in->data[0] = data;
    if (!(s->flags & SLOT_ATOMIC) || !in->glc)
        return;
    in->dst = data;
    if (gcn_has(s->op, GCN_COMPARES))
        in->dst.dwords = (uint8_t)(data.dwords > 1 ? data.dwords / 2 : 1);
}

bool gcn_decode_image(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    const struct places *p = c->gfx11 ? &gfx11_places : &gfx10_places;
    if (c->available < 2)
        return false;
    const uint64_t w = c->words[0] | (uint64_t)c->words[1] << 32;
    const uint32_t form = gcn_image_form(s->op);
    const struct {
        uint8_t at;
        uint32_t flag;
    } flags[] = {{p->unorm, GCN_INST_UNRM}, {p->r128, GCN_INST_R128}, {p->tfe, GCN_INST_TFE},
                 {p->lwe, GCN_INST_LWE},    {p->a16, GCN_INST_A16},   {p->d16, GCN_INST_D16}};
    for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++)
        in->flags |= w >> flags[i].at & 1 ? flags[i].flag : 0;
    in->simm16 = (int32_t)bits(c->words[0], 11, 8);
    in->dim = w >> p->dim & 7;
    in->glc = w >> p->glc & 1;
    in->slc = w >> p->slc & 1;
    in->dlc = w >> p->dlc & 1;
    const unsigned resource = form & GCN_IMAGE_RAY ? 4 : 8;
    if (!decode_address(c, in) || !scalar_dst(c, bits(c->words[1], 20, 16) << 2, resource, &in->saddr) ||
        (form & GCN_IMAGE_SAMPLER && !scalar_dst(c, (w >> p->sampler & 31) << 2, 4, &in->soffset)))
        return false;
    const unsigned first = bits(c->words[1], 15, 8), dwords = data_dwords(c, s, in);
    take_data(s, vgpr(first, dwords, false), in);
    return first + dwords <= 256;
}
