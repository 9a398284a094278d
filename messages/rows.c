/* rows.c - see rows.h. */
#include "rows.h"
#include "lanescope/handler.h"

#include <string.h>

void ls_rows_forget(struct ls_rows_made *made)
{
    made->last = made->n = 0;
}

bool ls_rows_valid(const struct ls_rows *rows)
{
    return rows->exec && rows->shift >= 1 && rows->shift <= 5;
}

/* Of a lane from lane 0. */
static int64_t distance(const struct ls_rows *r, unsigned lane)
{
    return (int64_t)(lane & ((1u << r->shift) - 1)) * (int32_t)r->stride +
           (int64_t)(lane >> r->shift) * (int32_t)r->pitch;
}

/* No distance is longer than in one of the corners. */
bool ls_rows_fit(const struct ls_rows *r)
{
    const unsigned columns = (1u << r->shift) - 1, corner[] = {columns, 63 - columns, 63};
    for (unsigned i = 0; i < 3; i++)
        if (distance(r, corner[i]) != (int32_t)distance(r, corner[i]))
            return false;
    return true;
}

void ls_rows_distances(const struct ls_rows *rows, uint32_t words[64])
{
    unsigned k = 0;
    for (uint64_t m = rows->exec; m; m &= m - 1)
        words[k++] = (uint32_t)distance(rows, (unsigned)__builtin_ctzll(m));
}

void ls_rows_raw(const struct ls_rows *rows, uint64_t base, uint32_t words[128])
{
    unsigned k = 0, n = (unsigned)__builtin_popcountll(rows->exec);
    for (uint64_t m = rows->exec; m; m &= m - 1, k++) {
        uint64_t address = base + (uint64_t)distance(rows, (unsigned)__builtin_ctzll(m));
        words[k] = (uint32_t)address;
        words[n + k] = (uint32_t)(address >> 32);
    }
}

static bool same(const struct ls_rows *a, const struct ls_rows *b)
{
    return a->exec == b->exec && a->stride == b->stride && a->pitch == b->pitch && a->shift == b->shift;
}

static struct ls_rows_words *fill(struct ls_rows_words *w, const struct ls_rows *rows)
{
    w->rows = *rows;
    w->pattern = ls_rows_fit(rows) ? LANESCOPE_DELTA : LANESCOPE_RAW;
    if (w->pattern == LANESCOPE_DELTA)
        ls_rows_distances(rows, w->words);
    return w;
}

struct ls_rows_words *ls_rows_find(struct ls_rows_made *made, const struct ls_rows *rows)
{
    struct ls_rows_words *unused = NULL;
    for (unsigned i = 0, at = made->last; i < made->n; i++, at = at + 1 == made->n ? 0 : at + 1) {
        struct ls_rows_words *w = &made->of[at];
        if (same(&w->rows, rows) && w->pattern == LANESCOPE_DELTA) {
            made->last = at;
            return w;
        }
        if (!w->rows.exec && !unused)
            unused = w;
    }
    if (!unused && made->n < LS_ROWS_MADE)
        unused = &made->of[made->n++];
    return unused ? fill(unused, rows) : NULL;
}
