/* coalescing_model.c - counts lines and requests of one access. See coalescing_model.h. */
#include "coalescing_model.h"

#include <stdlib.h>
#include <string.h>

enum { TA_BLOCK = 64, QUAD = 4 };

static const struct ls_cache_arch archs[] = {
    {"gfx90a", 64, 128, 64},   {"gfx942", 128, 128, 64},  {"gfx950", 128, 128, 64},
    {"gfx1100", 128, 128, 32}, {"gfx1201", 128, 128, 32},
};

const struct ls_cache_arch *ls_cache_arch_find(const char *name)
{
    size_t n = strcspn(name, ":");
    for (unsigned i = 0; i < sizeof archs / sizeof archs[0]; i++)
        if (strlen(archs[i].name) == n && !memcmp(archs[i].name, name, n))
            return &archs[i];
    return NULL;
}

/* Insertion sort: at most 64 elements, and nearly always in order already. */
static void sort(uint64_t *a, unsigned n)
{
    for (unsigned i = 1; i < n; i++) {
        uint64_t x = a[i];
        unsigned j = i;
        for (; j && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

/* Distinct lines of `line` bytes that the sorted accesses touch. */
static uint32_t lines(const uint64_t *sorted, unsigned n, unsigned bytes, unsigned line)
{
    uint32_t count = 0;
    uint64_t next = 0; /* first line not counted yet */
    for (unsigned i = 0; i < n; i++) {
        uint64_t first = sorted[i] / line, last = (sorted[i] + bytes - 1) / line;
        if (i && first < next)
            first = next;
        if (last >= first) {
            count += (uint32_t)(last - first + 1);
            next = last + 1;
        }
    }
    return count;
}

static uint32_t distinct_bytes(const uint64_t *sorted, unsigned n, unsigned bytes)
{
    uint32_t total = 0;
    uint64_t end = 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t from = i && sorted[i] < end ? end : sorted[i], to = sorted[i] + bytes;
        if (to > from) {
            total += (uint32_t)(to - from);
            end = to;
        }
    }
    return total;
}

static uint32_t requests(unsigned lanes, unsigned bytes, uint64_t exec, const uint64_t addr[64])
{
    uint32_t total = 0;
    for (unsigned q = 0; q < lanes; q += QUAD) {
        uint64_t a[QUAD];
        unsigned n = 0;
        for (unsigned l = q; l < q + QUAD; l++)
            if (exec >> l & 1)
                a[n++] = addr[l];
        sort(a, n);
        uint32_t blocks = lines(a, n, bytes, TA_BLOCK);
        total += blocks ? blocks : 1;
    }
    return total;
}

struct ls_cache_cost ls_cache_access(const struct ls_cache_arch *arch, unsigned bytes, uint64_t exec,
                                     const uint64_t addr[64])
{
    uint64_t sorted[64];
    unsigned n = 0;
    for (uint64_t m = exec; m; m &= m - 1)
        sorted[n++] = addr[__builtin_ctzll(m)];
    sort(sorted, n);
    struct ls_cache_cost c = {.bytes = distinct_bytes(sorted, n, bytes)};
    c.l1_lines = lines(sorted, n, bytes, arch->l1_line);
    c.l2_lines = lines(sorted, n, bytes, arch->l2_line);
    c.l1_needed = (c.bytes + arch->l1_line - 1) / arch->l1_line;
    c.l2_needed = (c.bytes + arch->l2_line - 1) / arch->l2_line;
    c.requests = requests(arch->lanes, bytes, exec, addr);
    return c;
}
