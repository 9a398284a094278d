/*
 * gen_bitop.c - v_bitop3_b32 and v_bitop3_b16 (gfx950): any function of three bits. Bit 4a + 2b + c of the
 * table is the result for bits a, b, c of the sources (pseudo code of "AMD CDNA4 ISA"). The 16-bit form
 * takes op_sel for sources and destination, and leaves the other half of the destination alone.
 */
#include <stdlib.h>
#include <string.h>
#include "harness.h"
#include "values.h"

struct bcase {
    bool half;
    unsigned table, op_sel, d, index[3];
    char file[3]; /* 'v', 's', or 'i': inline constant */
};

static uint32_t operand(const struct bcase *c, const struct sg_wave_image *w, unsigned i, unsigned lane)
{
    const uint32_t v = c->file[i] == 'v'   ? w->v[c->index[i]][lane]
                       : c->file[i] == 's' ? w->s[c->index[i]]
                                           : (uint32_t)value_inline(c->index[i], c->half ? T_B16 : T_B32);
    if (!c->half)
        return v;
    return (c->op_sel >> i & 1 ? v >> 16 : v) & 0xffff;
}

static void run_reference(const struct tcase *tc, struct expect *e)
{
    static struct sg_wave_image before;
    const struct bcase *c = tc->data;
    memcpy(&before, e->w, sizeof before);
    for (unsigned lane = 0; lane < 64; lane++) {
        if (!(img_s64(&before, 126) >> lane & 1))
            continue;
        const uint32_t a = operand(c, &before, 0, lane), b = operand(c, &before, 1, lane),
                       x = operand(c, &before, 2, lane);
        uint32_t result = 0, *to = &e->w->v[c->d][lane];
        for (unsigned bit = 0; bit < (c->half ? 16 : 32); bit++)
            result |= (c->table >> ((a >> bit & 1) * 4 + (b >> bit & 1) * 2 + (x >> bit & 1)) & 1) << bit;
        if (!c->half)
            *to = result;
        else if (c->op_sel & 8)
            *to = (*to & 0xffff) | result << 16;
        else
            *to = (*to & 0xffff0000) | result;
    }
}

static void fill(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct bcase *c = tc->data;
    (void)mem;
    for (unsigned lane = 0; lane < 64; lane++) {
        w->v[c->d][lane] = (uint32_t)rng64(r);
        for (unsigned i = 0; i < 3; i++)
            if (c->file[i] == 'v')
                w->v[c->index[i]][lane] = (uint32_t)value_random(r, T_B32);
    }
}

static void make(struct suite *s, struct rng *r, const char *name, unsigned table)
{
    struct tcase *tc = suite_add(s, name, sizeof(struct bcase));
    struct bcase *c = tc->data;
    tc->fill = fill;
    tc->ref = run_reference;
    tc->rounds = 2;
    c->half = !strcmp(name, "v_bitop3_b16");
    c->table = table;
    c->d = rng_below(r, 256);
    text_add(tc, "%s v%u", name, c->d);
    bool scalar = false; /* the constant bus takes one */
    for (unsigned i = 0; i < 3; i++) {
        const unsigned kind = rng_below(r, 6);
        c->file[i] = kind == 0 && !scalar ? 's' : kind == 1 ? 'i' : 'v';
        scalar |= c->file[i] == 's';
        c->index[i] = c->file[i] == 'v'   ? rng_below(r, 256)
                      : c->file[i] == 's' ? rng_below(r, 100)
                                          : 128 + rng_below(r, 81);
        if (c->file[i] == 'i')
            text_add(tc, ", %s", value_inline_text(c->index[i]));
        else
            text_add(tc, ", %c%u", c->file[i], c->index[i]);
        if (c->half && c->file[i] != 'i' && rng_below(r, 2))
            c->op_sel |= 1u << i;
    }
    if (c->half && rng_below(r, 2))
        c->op_sel |= 8;
    text_add(tc, " bitop3:0x%x", table);
    if (c->op_sel)
        text_add(tc, " op_sel:[%u,%u,%u,%u]", c->op_sel & 1, c->op_sel >> 1 & 1, c->op_sel >> 2 & 1,
                 c->op_sel >> 3);
}

void gen_bitop(struct suite *s)
{
    static const char *const names[] = {"v_bitop3_b32", "v_bitop3_b16"};
    struct rng r = {9};
    for (unsigned i = 0; i < 2 && s->bit == A_950; i++)
        for (unsigned table = 0; table < 256 && suite_wants(s, names[i]); table += 1 + rng_below(&r, 4))
            make(s, &r, names[i], table);
}
