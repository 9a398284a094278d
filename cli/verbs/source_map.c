#include "source_map.h"

#include <stdlib.h>
#include <string.h>

/* Cells of the table of common subsequences; a longer changed passage is paired from its top only. */
#define MAX_CELLS (16u << 20)

struct text {
    struct line {
        const char *start;
        size_t length;
    } *line; /* from 0 */
    size_t n;
};

static struct text split(const struct ls_p_file *f)
{
    struct text t = {0};
    const char *p = f->text, *end = f->text + f->size;
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const char *last = stop ? stop : end;
        size_t length = (size_t)(last - p);
        while (length && strchr(" \t\r", p[length - 1]))
            length--;
        *LS_PUSH(t.line, t.n) = (struct line){p, length};
        p = stop ? stop + 1 : end;
    }
    return t;
}

static bool same(const struct line *x, const struct line *y)
{
    return x->length == y->length && !memcmp(x->start, y->start, x->length);
}

/* A passage of both texts, ends excluded. */
struct passage {
    size_t a, a_end, b, b_end;
};

static void pair_from_top(uint32_t *map, struct passage p)
{
    for (size_t i = 0; p.a + i < p.a_end && p.b + i < p.b_end; i++)
        map[p.a + i + 1] = (uint32_t)(p.b + i + 1);
}

/* Longest common subsequence by the textbook's table;
 * what lies between equal lines is paired from its top. */
static void pair_middle(const struct text *a, const struct text *b, struct passage p, uint32_t *map)
{
    size_t rows = p.a_end - p.a, columns = p.b_end - p.b, width = columns + 1;
    uint32_t *length =
        rows && columns && rows <= MAX_CELLS / width ? calloc((rows + 1) * width, sizeof(*length)) : NULL;
    if (!length) {
        pair_from_top(map, p);
        return;
    }
    for (size_t i = rows; i-- > 0;)
        for (size_t j = columns; j-- > 0;) {
            uint32_t down = length[(i + 1) * width + j], right = length[i * width + j + 1];
            length[i * width + j] = same(&a->line[p.a + i], &b->line[p.b + j])
                                        ? 1 + length[(i + 1) * width + j + 1]
                                    : down > right ? down
                                                   : right;
        }
    struct passage changed = {p.a, p.a, p.b, p.b};
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
        if (same(&a->line[p.a + i], &b->line[p.b + j])) {
            changed.a_end = p.a + i;
            changed.b_end = p.b + j;
            pair_from_top(map, changed);
            map[p.a + i + 1] = (uint32_t)(p.b + j + 1);
            i++, j++;
            changed.a = p.a + i;
            changed.b = p.b + j;
        } else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
    changed.a_end = p.a_end;
    changed.b_end = p.b_end;
    pair_from_top(map, changed);
    free(length);
}

uint32_t *source_map(const struct ls_p_file *fa, const struct ls_p_file *fb, uint32_t *n)
{
    if (!fa || !fb || !fa->text || !fb->text)
        return NULL;
    struct text a = split(fa), b = split(fb);
    uint32_t *map = calloc(a.n + 1, sizeof(*map));
    struct passage p = {0, a.n, 0, b.n};
    for (; map && p.a < p.a_end && p.b < p.b_end && same(&a.line[p.a], &b.line[p.b]); p.a++, p.b++)
        map[p.a + 1] = (uint32_t)p.b + 1;
    for (; map && p.a < p.a_end && p.b < p.b_end && same(&a.line[p.a_end - 1], &b.line[p.b_end - 1]);
         p.a_end--, p.b_end--)
        map[p.a_end] = (uint32_t)p.b_end;
    if (map)
        pair_middle(&a, &b, p, map);
    *n = (uint32_t)a.n;
    free(a.line);
    free(b.line);
    return map;
}
