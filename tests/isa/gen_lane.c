/*
 * gen_lane.c - operations across lanes and register files: readlane, writelane, mbcnt, swaps, AccVGPR moves,
 * LDS-crossbar permutes. The reference works on the whole wavefront.
 */
#include <stdlib.h>
#include <string.h>
#include "harness.h"
#include "values.h"

struct lcase {
    void (*run)(const struct lcase *c, const struct sg_wave_image *before, struct sg_wave_image *w);
    unsigned d, a, b; /* registers of destination and sources; b: lane select (see b_kind) */
    enum { B_SGPR, B_VGPR, B_INLINE, B_M0 } b_kind;
    enum { A_VGPR, A_SGPR, A_INLINE, A_EXEC_LO, A_EXEC_HI } a_kind;
    unsigned offset;
    unsigned group; /* lanes that permutes exchange among */
};

static uint64_t exec_of(const struct sg_wave_image *w)
{
    return img_s64(w, 126);
}
static bool active(const struct sg_wave_image *w, unsigned lane)
{
    return exec_of(w) >> lane & 1;
}
static uint32_t scalar_b(const struct lcase *c, const struct sg_wave_image *w)
{
    return c->b_kind == B_INLINE ? c->b : c->b_kind == B_M0 ? w->s[124] : w->s[c->b];
}
static uint32_t value_a(const struct lcase *c, const struct sg_wave_image *w, unsigned lane)
{
    switch (c->a_kind) {
    case A_VGPR:
        return w->v[c->a][lane];
    case A_SGPR:
        return w->s[c->a];
    case A_INLINE:
        return (uint32_t)value_inline(c->a, T_B32);
    case A_EXEC_LO:
        return w->s[126];
    default:
        return w->s[127];
    }
}

static void readlane(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w)
{
    w->s[c->d] = b->v[c->a][scalar_b(c, b) & 63];
}
static void writelane(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w)
{
    w->v[c->d][scalar_b(c, b) & 63] = value_a(c, b, 0);
}
static void readfirstlane(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w)
{
    unsigned lane = 0;
    for (unsigned i = 0; i < 64; i++)
        if (active(b, i)) {
            lane = i;
            break;
        }
    w->s[c->d] = b->v[c->a][lane];
}
static uint32_t bits_below(uint32_t mask, int lane_bits)
{
    uint32_t n = 0;
    for (int i = 0; i < lane_bits && i < 32; i++)
        n += mask >> i & 1;
    return n;
}
static void mbcnt_lo(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w)
{
    for (unsigned l = 0; l < 64; l++)
        if (active(b, l))
            w->v[c->d][l] = bits_below(value_a(c, b, l), (int)l) + b->v[c->b][l];
}
static void mbcnt_hi(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w)
{
    for (unsigned l = 0; l < 64; l++)
        if (active(b, l))
            w->v[c->d][l] = bits_below(value_a(c, b, l), (int)l - 32) + b->v[c->b][l];
}
static void swap(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w)
{
    for (unsigned l = 0; l < 64; l++)
        if (active(b, l)) {
            w->v[c->d][l] = b->v[c->a][l];
            w->v[c->a][l] = b->v[c->d][l];
        }
}
static void move(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w)
{
    for (unsigned l = 0; l < 64; l++)
        if (active(b, l))
            w->v[c->d][l] = value_a(c, b, l);
}
/* Exchanges odd rows of the destination with even rows of the source (rows of n lanes). Lanes that EXEC turns
 * off take no part; the test runs it with all lanes on,
 * because the manual is silent about half-active pairs. */
static void row_swap(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w,
                     unsigned n)
{
    for (unsigned base = 0; base < 64; base += 2 * n)
        for (unsigned l = base; l < base + n; l++) {
            w->v[c->a][l] = b->v[c->d][l + n];
            w->v[c->d][l + n] = b->v[c->a][l];
        }
}
static void swap16(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w)
{
    row_swap(c, b, w, 16);
}
static void swap32(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w)
{
    row_swap(c, b, w, 32);
}
/* ds_bpermute: each lane reads the lane that its address names; inactive lanes hold 0. */
static void bpermute(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w)
{
    for (unsigned l = 0; l < 64; l++)
        if (active(b, l)) {
            unsigned from = (l & ~(c->group - 1)) | ((b->v[c->a][l] + c->offset) / 4) % c->group;
            w->v[c->d][l] = active(b, from) ? b->v[c->b][from] : 0;
        }
}
/* ds_permute: each lane sends; the highest sending lane wins; a lane that nobody sends to gets 0. */
static void permute(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w)
{
    uint32_t mail[64] = {0};
    for (unsigned l = 0; l < 64; l++)
        if (active(b, l))
            mail[(l & ~(c->group - 1)) | ((b->v[c->a][l] + c->offset) / 4) % c->group] = b->v[c->b][l];
    for (unsigned l = 0; l < 64; l++)
        if (active(b, l))
            w->v[c->d][l] = mail[l];
}
static unsigned swizzle_source(unsigned offset, unsigned lane)
{
    unsigned in = lane & 31, base = lane & 32;
    if (offset & 0x8000) /* quad mode */
        return (lane & ~3u) + (offset >> (2 * (lane & 3)) & 3);
    return base + (((in & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31));
}
static void swizzle(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w)
{
    for (unsigned l = 0; l < 64; l++)
        if (active(b, l)) {
            unsigned from = swizzle_source(c->offset, l);
            w->v[c->d][l] = active(b, from) ? b->v[c->a][from] : 0;
        }
}
static void nothing(const struct lcase *c, const struct sg_wave_image *b, struct sg_wave_image *w)
{
    (void)c, (void)b, (void)w;
}

static void run_reference(const struct tcase *tc, struct expect *e)
{
    static struct sg_wave_image before;
    const struct lcase *c = tc->data;
    memcpy(&before, e->w, sizeof before);
    c->run(c, &before, e->w);
}
static void fill_lanes(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct lcase *c = tc->data;
    (void)mem;
    bool address = c->run == bpermute || c->run == permute;
    for (unsigned l = 0; l < 64; l++) {
        if (c->a_kind == A_VGPR)
            w->v[c->a][l] = address && rng_below(r, 4) ? rng_below(r, 64) * 4 : (uint32_t)rng64(r);
        w->v[c->b][l] = (uint32_t)rng64(r);
        w->v[c->d][l] = (uint32_t)rng64(r);
    }
    if (c->run == swap16 || c->run == swap32)
        img_set_s64(w, 126, UINT64_MAX);
}

static struct lcase *
add(struct suite *s, struct tcase **tc, const char *name,
    void (*run)(const struct lcase *, const struct sg_wave_image *, struct sg_wave_image *), struct rng *r)
{
    *tc = suite_add(s, name, sizeof(struct lcase));
    struct lcase *c = (*tc)->data;
    c->group = s->arch->family->permuted_lanes;
    (*tc)->fill = fill_lanes;
    (*tc)->ref = run_reference;
    (*tc)->rounds = 6;
    c->run = run;
    c->a = rng_below(r, 100);
    c->b = 100 + rng_below(r, 100);
    c->d = 200 + rng_below(r, 50);
    return c;
}

static void gen_readlane(struct suite *s, struct rng *r)
{
    for (unsigned k = 0; k < 8; k++) {
        struct tcase *tc;
        struct lcase *c = add(s, &tc, "v_readlane_b32", readlane, r);
        c->d = k == 7 ? 126 : rng_below(r, 100);
        c->b = rng_below(r, 100);
        c->b_kind = k < 3 ? B_SGPR : k < 5 ? B_M0 : B_INLINE;
        if (c->b_kind == B_INLINE)
            c->b = rng_below(r, 64);
        text_add(tc, c->d == 126 ? "v_readlane_b32 exec_lo, v%u, " : "v_readlane_b32 s%u, v%u, ",
                 c->d == 126 ? c->a : c->d, c->a);
        text_add(tc, c->b_kind == B_SGPR ? "s%u" : c->b_kind == B_M0 ? "m0" : "%u", c->b);
        c = add(s, &tc, "v_writelane_b32", writelane, r);
        c->b = rng_below(r, 100);
        c->b_kind = k < 3 ? B_SGPR : k < 5 ? B_M0 : B_INLINE;
        if (c->b_kind == B_INLINE)
            c->b = rng_below(r, 64);
        c->a_kind = k % 2 || c->b_kind == B_SGPR ? A_INLINE : A_SGPR;
        if (c->b_kind == B_M0)
            c->a_kind = A_INLINE; /* one scalar register per instruction */
        if (c->a_kind == A_INLINE)
            c->a = 128 + rng_below(r, 65);
        text_add(tc, "v_writelane_b32 v%u, ", c->d);
        if (c->a_kind == A_SGPR)
            text_add(tc, "s%u, ", c->a);
        else
            text_add(tc, "%s, ", value_inline_text(c->a));
        text_add(tc, c->b_kind == B_SGPR ? "s%u" : c->b_kind == B_M0 ? "m0" : "%u", c->b);
        c = add(s, &tc, "v_readfirstlane_b32", readfirstlane, r);
        c->d = rng_below(r, 100);
        text_add(tc, "v_readfirstlane_b32 s%u, v%u", c->d, c->a);
    }
}
static void gen_moves(struct suite *s, struct rng *r)
{
    struct tcase *tc;
    for (unsigned k = 0; k < 6; k++) {
        struct lcase *c = add(s, &tc, "v_swap_b32", swap, r);
        text_add(tc, "v_swap_b32 v%u, v%u", c->d, c->a);
        c = add(s, &tc, "v_accvgpr_read_b32", move, r);
        text_add(tc, "v_accvgpr_read_b32 v%u, a%u", c->d, c->a);
        c->a += 256;
        c = add(s, &tc, "v_accvgpr_mov_b32", move, r);
        text_add(tc, "v_accvgpr_mov_b32 a%u, a%u", c->d, c->a);
        c->a += 256, c->d += 256;
        c = add(s, &tc, "v_accvgpr_write_b32", move, r);
        c->a_kind = k < 2 ? A_VGPR : k < 4 ? A_SGPR : A_INLINE;
        if (c->a_kind == A_INLINE)
            c->a = k == 4 ? 242 : 128 + rng_below(r, 65);
        text_add(tc, "v_accvgpr_write_b32 a%u, ", c->d);
        if (c->a_kind == A_INLINE)
            text_add(tc, "%s", value_inline_text(c->a));
        else
            text_add(tc, "%c%u", k < 2 ? 'v' : 's', c->a);
        c->d += 256;
        if (s->bit == A_950) {
            c = add(s, &tc, "v_permlane16_swap_b32", swap16, r);
            text_add(tc, "v_permlane16_swap_b32 v%u, v%u", c->d, c->a);
            c = add(s, &tc, "v_permlane32_swap_b32", swap32, r);
            text_add(tc, "v_permlane32_swap_b32 v%u, v%u", c->d, c->a);
        }
    }
    add(s, &tc, "v_nop", nothing, r);
    text_add(tc, "v_nop");
}
static void gen_mbcnt(struct suite *s, struct rng *r)
{
    static const char *const text[] = {"v%u", "s%u", "%s", "exec_lo", "exec_hi"};
    for (unsigned k = 0; k < 10; k++) {
        struct tcase *tc;
        bool hi = k & 1;
        struct lcase *c =
            add(s, &tc, hi ? "v_mbcnt_hi_u32_b32" : "v_mbcnt_lo_u32_b32", hi ? mbcnt_hi : mbcnt_lo, r);
        c->a_kind = k / 2;
        text_add(tc, "%s v%u, ", tc->name, c->d);
        if (c->a_kind == A_INLINE) {
            c->a = 193; /* -1: counts lanes below */
            text_add(tc, "-1");
        } else if (c->a_kind == A_EXEC_LO || c->a_kind == A_EXEC_HI) {
            text_add(tc, "%s", text[c->a_kind]);
        } else {
            text_add(tc, "%c%u", c->a_kind == A_VGPR ? 'v' : 's', c->a);
        }
        text_add(tc, ", v%u", c->b);
    }
}
static void gen_crossbar(struct suite *s, struct rng *r)
{
    for (unsigned k = 0; k < 8; k++) {
        struct tcase *tc;
        struct lcase *c = add(s, &tc, "ds_bpermute_b32", bpermute, r);
        c->offset = k < 4 ? 0 : rng_below(r, 300);
        text_add(tc, "ds_bpermute_b32 v%u, v%u, v%u offset:%u", c->d, c->a, c->b, c->offset);
        c = add(s, &tc, "ds_permute_b32", permute, r);
        c->offset = k < 4 ? 0 : rng_below(r, 300);
        text_add(tc, "ds_permute_b32 v%u, v%u, v%u offset:%u", c->d, c->a, c->b, c->offset);
        c = add(s, &tc, "ds_swizzle_b32", swizzle, r);
        c->offset = k < 4 ? 0x8000 | rng_below(r, 256) : rng_below(r, 0x8000);
        text_add(tc, "ds_swizzle_b32 v%u, v%u offset:0x%x", c->d, c->a, c->offset);
    }
}

void gen_lane(struct suite *s)
{
    size_t first = s->n;
    struct rng r = {77};
    gen_readlane(s, &r);
    gen_moves(s, &r);
    gen_mbcnt(s, &r);
    gen_crossbar(s, &r);
    /* The filter works on names that are only known now: drop what it does not select. */
    size_t kept = first;
    for (size_t i = first; i < s->n; i++) {
        if (suite_wants(s, s->cases[i].name))
            s->cases[kept++] = s->cases[i];
        else
            free(s->cases[i].data);
    }
    s->n = kept;
}
