#include "figures.h"

enum { MAX_DIES = 16 };

json_t *add_figure(json_t *part, const char *name, double value, const char *unit)
{
    json_t *figures = json_object_get(part, "figures");
    json_t *figure = json_pack("{s:s, s:f, s:s}", "name", name, "value", value, "unit", unit);
    if (!figures && !json_object_set_new(part, "figures", json_array()))
        figures = json_object_get(part, "figures");
    json_array_append_new(figures, figure);
    return figure;
}

/* Ticks in a nanosecond are thousands of MHz. */
static double megahertz(uint64_t ticks, uint64_t ns)
{
    return ns ? 1e3 * (double)ticks / (double)ns : 0;
}

void clock_rate(const struct clock_read *first, const struct clock_read *second, double *least, double *most)
{
    uint64_t ticks = second->ticks > first->ticks ? second->ticks - first->ticks : 0;
    *least = megahertz(ticks, second->after - first->before);
    *most = megahertz(ticks, second->before > first->after ? second->before - first->after : 1);
}

uint64_t ticks_apart(const struct meeting *m, unsigned n)
{
    uint64_t earliest[MAX_DIES] = {0}, least = ~0ull, most = 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t *e = &earliest[m[i].die % MAX_DIES];
        if (!*e || m[i].ticks[0] < *e)
            *e = m[i].ticks[0];
    }
    for (unsigned d = 0; d < MAX_DIES; d++) {
        if (!earliest[d])
            continue;
        least = earliest[d] < least ? earliest[d] : least;
        most = earliest[d] > most ? earliest[d] : most;
    }
    return most > least ? most - least : 0;
}

double cycles_per_tick(const struct meeting *m, unsigned n)
{
    uint64_t cycles = 0, ticks = 0;
    for (unsigned i = 0; i < n; i++) {
        if (m[i].cycles[1] <= m[i].cycles[0] || m[i].ticks[1] <= m[i].ticks[0])
            continue;
        cycles += m[i].cycles[1] - m[i].cycles[0];
        ticks += m[i].ticks[1] - m[i].ticks[0];
    }
    return ticks ? (double)cycles / (double)ticks : 0;
}
