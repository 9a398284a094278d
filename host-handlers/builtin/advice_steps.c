/* advice_steps.c - how far neighbouring lanes are apart, and where that holds. */
#include "advice.h"

#include "common/numbers.h"

void advice_add_steps(struct ls_steps *s, uint64_t exec, const uint64_t addr[64], uint64_t weight)
{
    uint64_t packed[64];
    unsigned n = 0;
    for (uint64_t m = exec; m; m &= m - 1)
        packed[n++] = addr[__builtin_ctzll(m)];
    ls_steps_add(s, ls_low_bits(n), packed, weight);
}

void advice_add_lane_steps(struct ls_steps *s, uint64_t exec, const uint64_t addr[64], uint64_t weight)
{
    uint64_t two[64] = {0};
    for (uint64_t m = exec; m & (m - 1); m &= m - 1) {
        const int lane = __builtin_ctzll(m), next = __builtin_ctzll(m & (m - 1));
        const int64_t distance = (int64_t)(addr[next] - addr[lane]), gap = next - lane;
        two[1] = distance % gap ? (uint64_t)INT64_MAX : (uint64_t)(distance / gap);
        ls_steps_add(s, 3, two, weight);
    }
}

int64_t advice_step(const struct ls_steps *s)
{
    int most = ls_steps_most(s);
    return most >= 0 && s->of[most].count * 100 >= s->pairs * ADVICE_EXPLAINS ? s->of[most].step : 0;
}

unsigned advice_row(const struct lanescope_dispatch *d)
{
    const uint32_t x = d->workgroup[0];
    return x && d->lanes % x == 0 ? x : d->lanes;
}

static void add_neighbours(struct ls_steps *s, enum advice_neighbours which, uint64_t exec,
                           const uint64_t addr[64])
{
    if (which == ADVICE_ADJACENT)
        ls_steps_add(s, exec, addr, 1);
    else if (which == ADVICE_ACTIVE)
        advice_add_steps(s, exec, addr, 1);
    else
        advice_add_lane_steps(s, exec, addr, 1);
}

/* Those of one row, and which of them are that far apart. */
static void count_pairs(struct advice_reach *r, enum advice_neighbours which, uint64_t exec,
                        const uint64_t addr[64], int64_t step, unsigned row, uint64_t times)
{
    for (uint64_t m = exec; m & (m - 1); m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(m), next = (unsigned)__builtin_ctzll(m & (m - 1));
        if (lane / row != next / row || (which == ADVICE_ADJACENT && next != lane + 1))
            continue;
        const uint64_t gap = which == ADVICE_COUNTED ? next - lane : 1;
        r->pairs += times;
        r->with += addr[next] - addr[lane] == (uint64_t)step * gap ? times : 0;
    }
}

struct advice_reach advice_reach(const struct sample *s, int64_t step, enum advice_neighbours which,
                                 unsigned row)
{
    struct advice_reach r = {0};
    for (uint32_t i = 0; step && i < s->n; i++) {
        const struct sample_pattern *p = &s->pattern[i];
        struct ls_steps steps = {0};
        uint64_t addr[64];
        lanescope_addresses(&p->access, addr);
        add_neighbours(&steps, which, p->access.exec, addr);
        if (!steps.pairs || advice_step(&steps) != step)
            continue;
        r.executions += p->count;
        r.bytes = r.bytes && r.bytes < p->access.length ? r.bytes : p->access.length;
        count_pairs(&r, which, p->access.exec, addr, step, row, p->count);
    }
    return r;
}

void advice_put_pairs(struct lanescope_json *json, const struct advice_reach *r, unsigned row)
{
    lanescope_json_unsigned(json, "step_pairs", r->with);
    lanescope_json_unsigned(json, "pairs", r->pairs);
    lanescope_json_unsigned(json, "row", row);
}
