/* layout_model.c - see layout_model.h. */
#include "layout_model.h"

bool ls_layout_map(const struct ls_layout *l, unsigned bytes, uint64_t exec, const uint64_t from[64],
                   uint64_t to[64])
{
    for (uint64_t m = exec; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        uint64_t offset = from[lane] - l->origin, row = offset / l->pitch, column = offset % l->pitch;
        if (column + bytes > l->pitch)
            return false;
        if (l->unit) {
            if (column % l->unit + bytes > l->unit)
                return false;
            if (l->rows) {
                to[lane] = l->origin + (column / l->unit * l->rows + row) * l->unit + column % l->unit;
                continue;
            }
            uint64_t units = l->pitch / l->unit;
            column = ((column / l->unit) ^ (row & (units - 1))) * l->unit + column % l->unit;
        }
        to[lane] = l->origin + row * l->to + column;
    }
    return true;
}

static void add_step(struct ls_steps *s, int64_t step, uint64_t weight)
{
    unsigned i = 0;
    s->pairs += weight;
    while (i < s->n && s->of[i].step != step)
        i++;
    if (i == s->n && s->n < LS_STEPS) {
        s->of[i].step = step;
        s->of[i].count = 0;
        s->n++;
    }
    if (i < s->n)
        s->of[i].count += weight;
}

/* Most lanes are as far apart as those before them: such go in together. */
void ls_steps_add(struct ls_steps *s, uint64_t exec, const uint64_t addr[64], uint64_t weight)
{
    int64_t step = 0;
    uint64_t pairs = 0; /* of that step, one after the other */
    for (uint64_t m = exec; m & (m - 1); m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m), next = (unsigned)__builtin_ctzll(m & (m - 1));
        /* across a gap of inactive lanes the difference says nothing about neighbours */
        if (next != lane + 1)
            continue;
        const int64_t here = (int64_t)(addr[next] - addr[lane]);
        if (pairs && here != step) {
            add_step(s, step, pairs * weight);
            pairs = 0;
        }
        step = here;
        pairs++;
    }
    if (pairs)
        add_step(s, step, pairs * weight);
}

int ls_steps_most(const struct ls_steps *s)
{
    int most = -1;
    for (unsigned i = 0; i < s->n; i++)
        if (most < 0 || s->of[i].count > s->of[most].count)
            most = (int)i;
    return most;
}
