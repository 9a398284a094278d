/*
 * decode_image.c - MIMG of gfx10 and gfx11, VIMAGE and VSAMPLE of gfx12: "RDNA2", "RDNA3" and "RDNA4 Instruction Set
 * Architecture", the sections of these names in the chapter on microcode formats; where those leave the length of an address
 * open, LLVM's AMDGPU::getAddrSizeMIMGOp.
 *
 * The address is a run of registers, or, where the field NSA says so ("non-sequential address"), registers that further
 * words name one by one. gfx11 has one such word at most: the last register that it names begins a run of all that is left.
 * gfx12 names registers always: five in VIMAGE, four in VSAMPLE, of which the last begins such a run.
 */
#include "decode.h"

/* Places of the fields that the encodings have at different ones, counted through the first two words. */
enum { NOWHERE = 64 };
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
static const struct places vimage_places = {.dim = 0,
                                            .sampler = NOWHERE,
                                            .unorm = NOWHERE,
                                            .glc = NOWHERE,
                                            .slc = NOWHERE,
                                            .dlc = NOWHERE,
                                            .r128 = 4,
                                            .tfe = 55,
                                            .lwe = NOWHERE,
                                            .a16 = 6,
                                            .d16 = 5};
static const struct places vsample_places = {.dim = 0,
                                             .sampler = 55,
                                             .unorm = 13,
                                             .glc = NOWHERE,
                                             .slc = NOWHERE,
                                             .dlc = NOWHERE,
                                             .r128 = 4,
                                             .tfe = 3,
                                             .lwe = 40,
                                             .a16 = 6,
                                             .d16 = 5};

static bool bit(uint64_t w, unsigned place)
{
    return place != NOWHERE && w >> place & 1;
}

enum { RAY_DWORDS = 11, RAY_DWORDS_A16 = 8 }; /* and one more where the node's address has 64 bits */

/* gfx12's trees of boxes of another kind: what is known is how long their operands are (LLVM, BVH8 and BVHDual). */
static bool is_wide_ray(unsigned op)
{
    return op == GCN_OP_IMAGE_BVH8_INTERSECT_RAY || op == GCN_OP_IMAGE_BVH_DUAL_INTERSECT_RAY;
}

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
    if (is_wide_ray(in->op))
        return RAY_DWORDS + (in->op == GCN_OP_IMAGE_BVH_DUAL_INTERSECT_RAY);
    if (form & GCN_IMAGE_RAY)
        return (a16 ? RAY_DWORDS_A16 : RAY_DWORDS) + (in->op == GCN_OP_IMAGE_BVH64_INTERSECT_RAY);
    unsigned n = (form & GCN_IMAGE_COORDINATES ? coordinates[in->dim] : 0) + !!(form & GCN_IMAGE_LEVEL);
    return gcn_image_leading(in) + (a16 ? (n + 1) / 2 : n);
}

/* Registers of the run that begins at address register `at`; `runs` is how many more the words can name. The parts of a
 * ray are vectors of three on gfx11 and later, behind the node and the length. */
static unsigned run_length(const struct cursor *c, const struct gcn_inst *in, unsigned at, unsigned left,
                           unsigned runs)
{
    const bool ray = gcn_image_form(in->op) & GCN_IMAGE_RAY;
    if (!c->gfx11)
        return 1;
    if (ray && !at && (in->op == GCN_OP_IMAGE_BVH64_INTERSECT_RAY || is_wide_ray(in->op)))
        return 2;
    if (ray && in->n_runs > 1)
        return left < 3 ? left : 3;
    if (ray && at && is_wide_ray(in->op))
        return 2;
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

/* The address, in registers of which `n` are named. */
static bool take_address(const struct cursor *c, const uint8_t *named, unsigned n, struct gcn_inst *in)
{
    const unsigned all = gcn_image_address(in);
    in->addr = vgpr(named[0], 1, false);
    for (unsigned at = 0, i = 0, length; at < all && i < n; at += length, i++) {
        length = run_length(c, in, at, all - at, n - i);
        if (!add_run(in, named[i], length))
            return false;
    }
    return true;
}

static bool decode_address(struct cursor *c, struct gcn_inst *in)
{
    const unsigned further = c->gfx11 ? bits(c->words[0], 0, 0) : bits(c->words[0], 2, 1);
    const unsigned all = gcn_image_address(in), first = bits(c->words[1], 7, 0);
    uint8_t named[GCN_IMAGE_RUNS] = {(uint8_t)first};
    if (c->available < 2 + further)
        return false;
    c->size = 2 + further;
    if (!further) {
        in->addr = vgpr(first, all, false);
        return add_run(in, first, all);
    }
    for (unsigned i = 0; i < 4 * further; i++)
        named[1 + i] = (uint8_t)(c->words[2 + i / 4] >> i % 4 * 8);
    return take_address(c, named, 1 + 4 * further, in);
}

static unsigned data_dwords(const struct cursor *c, const struct gcn_slot *s, const struct gcn_inst *in)
{
    unsigned n = (unsigned)__builtin_popcount((unsigned)in->simm16);
    if (is_wide_ray(s->op))
        return s->dst;
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

/* Modifiers; `w` is the first two words. */
static void take_modifiers(const struct places *p, uint64_t w, struct gcn_inst *in)
{
    const struct {
        uint8_t at;
        uint32_t flag;
    } flags[] = {{p->unorm, GCN_INST_UNRM}, {p->r128, GCN_INST_R128}, {p->tfe, GCN_INST_TFE},
                 {p->lwe, GCN_INST_LWE},    {p->a16, GCN_INST_A16},   {p->d16, GCN_INST_D16}};
    for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++)
        in->flags |= bit(w, flags[i].at) ? flags[i].flag : 0;
    in->dim = w >> p->dim & 7;
    in->glc = bit(w, p->glc);
    in->slc = bit(w, p->slc);
    in->dlc = bit(w, p->dlc);
}

/* Resource, sampler and data, once address and modifiers are known; the first two are numbers of SGPRs. */
static bool take_operands(const struct cursor *c, const struct gcn_slot *s, unsigned resource,
                          unsigned sampler, unsigned data, struct gcn_inst *in)
{
    const uint32_t form = gcn_image_form(s->op);
    const unsigned dwords = data_dwords(c, s, in);
    if (!scalar_dst(c, resource, form & GCN_IMAGE_RAY ? 4 : 8, &in->saddr) ||
        (form & GCN_IMAGE_SAMPLER && !scalar_dst(c, sampler, 4, &in->soffset)))
        return false;
    take_data(s, vgpr(data, dwords, false), in);
    return data + dwords <= 256;
}

bool gcn_decode_image(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    const struct places *p = c->gfx11 ? &gfx11_places : &gfx10_places;
    if (c->available < 2)
        return false;
    const uint64_t w = c->words[0] | (uint64_t)c->words[1] << 32;
    take_modifiers(p, w, in);
    in->simm16 = (int32_t)bits(c->words[0], 11, 8);
    return decode_address(c, in) && take_operands(c, s, bits(c->words[1], 20, 16) << 2,
                                                  (w >> p->sampler & 31) << 2, bits(c->words[1], 15, 8), in);
}

/* Both formats of gfx12. They share the numbers of operations; which of them an operation has follows from it. */
static bool decode_gfx12(struct cursor *c, const struct gcn_slot *s, bool sampling, struct gcn_inst *in)
{
    const struct places *p = sampling ? &vsample_places : &vimage_places;
    const bool of_vsample = gcn_image_form(s->op) & GCN_IMAGE_SAMPLER || s->op == GCN_OP_IMAGE_MSAA_LOAD;
    if (c->available < 3 || of_vsample != sampling)
        return false;
    c->size = 3;
    const uint32_t w0 = c->words[0], w1 = c->words[1], w2 = c->words[2];
    const uint8_t named[] = {(uint8_t)w2, (uint8_t)(w2 >> 8), (uint8_t)(w2 >> 16), (uint8_t)(w2 >> 24),
                             (uint8_t)(w1 >> 24)};
    take_modifiers(p, w0 | (uint64_t)w1 << 32, in);
    gcn_cache_policy(s, bits(w1, 22, 20), bits(w1, 19, 18), in);
    in->simm16 = (int32_t)bits(w0, 25, 22);
    return take_address(c, named, sampling ? 4 : 5, in) &&
           take_operands(c, s, bits(w1, 17, 9), bits(w1, 31, 23), bits(w1, 7, 0), in);
}

bool gcn_decode_vimage(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    return decode_gfx12(c, s, false, in);
}

bool gcn_decode_vsample(struct cursor *c, const struct gcn_slot *s, struct gcn_inst *in)
{
    return decode_gfx12(c, s, true, in);
}
