/* coalescing_model.c - counts lines and requests of one access. See coalescing_model.h. */
#include "coalescing_model.h"

#include <string.h>
#include "wide.h"

enum { TA_BLOCK = 64, QUAD = 4 };

const struct ls_gpu *ls_gpu_with_cache(const char *name)
{
    const struct ls_gpu *gpu = ls_gpu_find(name);
    return gpu && gpu->l1_line ? gpu : NULL;
}

/*
 * The bytes that an access touches, as a set: 128-byte blocks in a small open hash table, each with a mask of
 * its bytes. 64 lanes touch at most 128 blocks (16 bytes a lane, each in two blocks), so the table is never
 * more than half full. What is asked of the set is counted as it grows: most lanes bring bytes that nobody had before,
 * and those need not be looked at again.
 */
enum { BLOCK = 128, TABLE = 256 };

struct block {
    uint64_t number, bytes[2];
};

struct blocks {
    unsigned n, halves, bytes; /* blocks, halves of such with bytes, bytes */
    struct block block[2 * 64];
    uint8_t table[TABLE]; /* index + 1 into block[] */
};

static inline struct block *find_block(struct blocks *b, uint64_t number)
{
    unsigned slot = (unsigned)((number * 0x9e3779b97f4a7c15ull) >> 56);
    for (; b->table[slot]; slot = (slot + 1) % TABLE)
        if (b->block[b->table[slot] - 1].number == number)
            return &b->block[b->table[slot] - 1];
    struct block *fresh = &b->block[b->n];
    b->table[slot] = (uint8_t)++b->n;
    *fresh = (struct block){.number = number};
    return fresh;
}

/* Adds bytes that do not reach beyond 64 of them. */
static inline void add_half(struct blocks *b, uint64_t from, unsigned bytes)
{
    const uint64_t mask = ~0ull >> (64 - bytes) << from % 64;
    uint64_t *had = &find_block(b, from / BLOCK)->bytes[from / 64 % 2];
    b->halves += !*had;
    b->bytes += *had & mask ? (unsigned)__builtin_popcountll(mask & ~*had) : bytes;
    *had |= mask;
}

/* Adds `bytes` bytes from address `from`, which may reach into further halves and blocks. */
static inline void add_bytes(struct blocks *b, uint64_t from, unsigned bytes)
{
    for (unsigned room = 64 - from % 64; bytes > room; room = 64) {
        add_half(b, from, room);
        from += room;
        bytes -= room;
    }
    add_half(b, from, bytes);
}

/* Lanes that follow each other in memory, as most do, go in together. */
static void add_lanes(struct blocks *b, unsigned bytes, uint64_t exec, const uint64_t addr[64])
{
    for (uint64_t m = exec; m;) {
        const uint64_t from = addr[__builtin_ctzll(m)];
        unsigned run = 0;
        do {
            run += bytes;
            m &= m - 1;
        } while (m && addr[__builtin_ctzll(m)] == from + run);
        add_bytes(b, from, run);
    }
}

static unsigned add_seen(uint64_t seen[2 * QUAD], unsigned n, uint64_t block)
{
    unsigned i = 0;
    while (i < n && seen[i] != block)
        i++;
    seen[i] = block;
    return n + (i == n);
}

/* Distinct 64-byte blocks that one quad touches; at least 1. A lane has at most 64 bytes: two blocks. */
static uint32_t quad_requests_of_any(unsigned bytes, unsigned active, const uint64_t addr[QUAD])
{
    uint64_t seen[2 * QUAD];
    unsigned n = 0;
    for (unsigned lane = 0; lane < QUAD; lane++) {
        if (!(active >> lane & 1))
            continue;
        const uint64_t first = addr[lane] / TA_BLOCK, last = (addr[lane] + bytes - 1) / TA_BLOCK;
        n = add_seen(seen, n, first);
        if (last != first)
            n = add_seen(seen, n, last);
    }
    return n ? n : 1;
}

/* The same, quicker where all four lanes are active and have one block each. */
static uint32_t quad_requests(unsigned bytes, unsigned active, const uint64_t addr[QUAD])
{
    uint64_t block[QUAD], further = active != 0xf;
    for (unsigned lane = 0; lane < QUAD && !further; lane++) {
        block[lane] = addr[lane] / TA_BLOCK;
        further = block[lane] ^ (addr[lane] + bytes - 1) / TA_BLOCK;
    }
    if (further)
        return quad_requests_of_any(bytes, active, addr);
    const uint64_t a = block[0], b = block[1], c = block[2], d = block[3];
    return 1u + (b != a) + ((c != a) & (c != b)) + ((d != a) & (d != b) & (d != c));
}

static uint32_t requests_of(unsigned lanes, unsigned bytes, uint64_t exec, const uint64_t addr[64])
{
    uint32_t n = 0;
    for (unsigned q = 0; q < lanes; q += QUAD)
        n += quad_requests(bytes, exec >> q & 0xf, addr + q);
    return n;
}

/* Of the first `lanes` lanes, quads without an active one. */
static uint32_t idle_quads(unsigned lanes, uint64_t exec)
{
    const uint64_t two = exec | exec >> 1, four = (two | two >> 2) & 0x1111111111111111ull;
    return lanes / QUAD - (uint32_t)__builtin_popcountll(four);
}

static struct ls_cache_cost cost_of(const struct ls_gpu *gpu, uint32_t bytes, uint32_t lines_64,
                                    uint32_t lines_128, uint32_t requests)
{
    return (struct ls_cache_cost){
        .bytes = bytes,
        .l1_lines = gpu->l1_line == BLOCK ? lines_128 : lines_64,
        .l1_needed = (bytes + gpu->l1_line - 1) / gpu->l1_line,
        .l2_lines = gpu->l2_line == BLOCK ? lines_128 : lines_64,
        .l2_needed = (bytes + gpu->l2_line - 1) / gpu->l2_line,
        .requests = requests,
    };
}

struct ls_cache_cost ls_cache_access_by_lane(const struct ls_gpu *gpu, unsigned bytes, uint64_t exec,
                                             const uint64_t addr[64])
{
    struct blocks b;
    b.n = b.halves = b.bytes = 0;
    memset(b.table, 0, sizeof b.table);
    add_lanes(&b, bytes, exec, addr);
    return cost_of(gpu, b.bytes, b.halves, b.n, requests_of(ls_gpu_wave(gpu), bytes, exec, addr));
}

struct ls_cache_cost ls_cache_access(const struct ls_gpu *gpu, unsigned bytes, uint64_t exec,
                                     const uint64_t addr[64])
{
    const unsigned lanes = ls_gpu_wave(gpu);
    struct ls_wide_cache w;
    if (!exec || !ls_wide() || !ls_wide_cache(bytes, exec, addr, &w))
        return ls_cache_access_by_lane(gpu, bytes, exec, addr);
    const bool all_counted = !w.straddles && !(exec >> (lanes - 1) >> 1);
    return cost_of(gpu, w.bytes, w.lines_64, w.lines_128,
                   all_counted ? w.blocks + idle_quads(lanes, exec) : requests_of(lanes, bytes, exec, addr));
}
