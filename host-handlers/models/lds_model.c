/* lds_model.c - the lane groups of each architecture, and the count over them. See lds_model.h. */
#include "lds_model.h"

#include <string.h>

#define LANES(first, last) ((~0ull >> (63 - (last) + (first))) << (first))

/* b8..b32, two halves of 32 lanes. */
static const uint64_t halves[] = {LANES(0, 31), LANES(32, 63)};
static const uint64_t whole64[] = {LANES(0, 63)};
static const uint64_t whole32[] = {LANES(0, 31)};
static const uint64_t sixteens64[] = {LANES(0, 15), LANES(16, 31), LANES(32, 47), LANES(48, 63)};
static const uint64_t sixteens32[] = {LANES(0, 15), LANES(16, 31)};
static const uint64_t eights64[] = {LANES(0, 7),   LANES(8, 15),  LANES(16, 23), LANES(24, 31),
                                    LANES(32, 39), LANES(40, 47), LANES(48, 55), LANES(56, 63)};
static const uint64_t eights32[] = {LANES(0, 7), LANES(8, 15), LANES(16, 23), LANES(24, 31)};

/* b128 reads of CDNA3, in the order of service (shark-ai cdna3info.md; Triton pull request 11365). */
static const uint64_t cdna3_b128[] = {
    LANES(0, 3) | LANES(20, 23),   LANES(32, 35) | LANES(52, 55), LANES(4, 7) | LANES(16, 19),
    LANES(36, 39) | LANES(48, 51), LANES(8, 11) | LANES(28, 31),  LANES(40, 43) | LANES(60, 63),
    LANES(12, 15) | LANES(24, 27), LANES(44, 47) | LANES(56, 59),
};
/* b128 reads of CDNA4 (shark-ai lds_summary.md, MI350X). */
static const uint64_t cdna4_b128[] = {
    LANES(0, 3) | LANES(12, 15) | LANES(20, 27),
    LANES(32, 35) | LANES(44, 47) | LANES(52, 59),
    LANES(4, 11) | LANES(16, 19) | LANES(28, 31),
    LANES(36, 43) | LANES(48, 51) | LANES(60, 63),
};
/* b128 reads of RDNA3: CDNA3's groups of the first 32 lanes (shark-ai, W7900). */
static const uint64_t rdna3_b128[] = {
    LANES(0, 3) | LANES(20, 23),
    LANES(4, 7) | LANES(16, 19),
    LANES(8, 11) | LANES(28, 31),
    LANES(12, 15) | LANES(24, 27),
};

#define PHASES(bank_count, is_measured, table)                                                               \
    {.banks = bank_count, .n = sizeof(table) / sizeof(table[0]), .measured = is_measured, .groups = table}

static const struct ls_lds_arch archs[] = {
    {
        .name = "gfx90a", /* MI250: b32 reads measured; the wider forms are assumed to be CDNA3's */
        .lanes = 64,
        .read = {PHASES(32, true, halves), PHASES(32, false, sixteens64), PHASES(32, false, cdna3_b128),
                 PHASES(32, false, cdna3_b128)},
        .write = {PHASES(32, false, halves), PHASES(32, false, sixteens64), PHASES(32, false, eights64),
                  PHASES(32, false, eights64)},
    },
    {
        .name = "gfx942",
        .lanes = 64,
        .read = {PHASES(32, true, halves), PHASES(32, true, sixteens64), PHASES(32, false, cdna3_b128),
                 PHASES(32, true, cdna3_b128)},
        .write = {PHASES(32, false, halves), PHASES(32, false, sixteens64), PHASES(32, false, eights64),
                  PHASES(32, true, eights64)},
    },
    {
        .name = "gfx950", /* reads of b32, b64, b128 use 64 banks; b96 reads and writes behave as 32 banks */
        .lanes = 64,
        .read = {PHASES(64, true, whole64), PHASES(64, true, halves), PHASES(32, true, cdna3_b128),
                 PHASES(64, true, cdna4_b128)},
        .write = {PHASES(64, false, whole64), PHASES(32, true, sixteens64), PHASES(32, false, eights64),
                  PHASES(32, false, eights64)},
    },
    {
        .name = "gfx1100",
        .lanes = 32,
        .read = {PHASES(32, true, whole32), PHASES(32, true, sixteens32), PHASES(32, false, rdna3_b128),
                 PHASES(32, true, rdna3_b128)},
        .write = {PHASES(32, false, whole32), PHASES(32, false, sixteens32), PHASES(32, false, eights32),
                  PHASES(32, false, eights32)},
    },
    {
        .name = "gfx1201",
        .lanes = 32,
        .read = {PHASES(32, true, whole32), PHASES(32, true, sixteens32), PHASES(32, false, eights32),
                 PHASES(32, true, eights32)},
        .write = {PHASES(32, false, whole32), PHASES(32, false, sixteens32), PHASES(32, false, eights32),
                  PHASES(32, false, eights32)},
    },
};

const struct ls_lds_arch *ls_lds_arch_find(const char *name)
{
    size_t n = strcspn(name, ":");
    for (unsigned i = 0; i < sizeof archs / sizeof archs[0]; i++)
        if (strlen(archs[i].name) == n && !memcmp(archs[i].name, name, n))
            return &archs[i];
    return NULL;
}

static enum ls_lds_width width_of(unsigned bytes)
{
    return bytes <= 4 ? LS_LDS_B32 : bytes <= 8 ? LS_LDS_B64 : bytes <= 12 ? LS_LDS_B96 : LS_LDS_B128;
}

const struct ls_lds_phases *ls_lds_phases(const struct ls_lds_arch *arch, bool is_write, unsigned bytes)
{
    return &(is_write ? arch->write : arch->read)[width_of(bytes)];
}

/* The dwords that the lanes of one phase touch. At most 64 lanes with 5 dwords each (16 bytes, misaligned).
 */
struct dwords {
    unsigned n;
    uint32_t dword[64 * 5];
    uint16_t lanes[64 * 5]; /* lanes that touch it */
    uint16_t head[64];      /* per bank: index + 1 of its newest dword */
    uint16_t next[64 * 5];
    uint8_t depth[64]; /* per bank: distinct dwords */
};

static void touch(struct dwords *d, unsigned banks, uint32_t dword)
{
    unsigned bank = dword % banks;
    for (unsigned i = d->head[bank]; i; i = d->next[i - 1])
        if (d->dword[i - 1] == dword) {
            d->lanes[i - 1]++;
            return;
        }
    d->dword[d->n] = dword;
    d->lanes[d->n] = 1;
    d->next[d->n] = d->head[bank];
    d->head[bank] = (uint16_t)++d->n;
    d->depth[bank]++;
}

struct ls_lds_cost ls_lds_access(const struct ls_lds_arch *arch, bool is_write, bool is_atomic,
                                 unsigned bytes, uint64_t exec, const uint32_t addr[64])
{
    const struct ls_lds_phases *p = ls_lds_phases(arch, is_write, bytes);
    struct ls_lds_cost cost = {0};
    for (unsigned phase = 0; phase < p->n; phase++) {
        struct dwords d;
        d.n = 0;
        memset(d.head, 0, sizeof d.head);
        memset(d.depth, 0, sizeof d.depth);
        for (uint64_t m = exec & p->groups[phase]; m; m &= m - 1) {
            uint32_t first = addr[__builtin_ctzll(m)];
            for (uint32_t w = first / 4; w <= (first + bytes - 1) / 4; w++)
                touch(&d, p->banks, w);
        }
        unsigned busiest = 1, crowd = 1;
        for (unsigned b = 0; b < p->banks; b++)
            busiest = d.depth[b] > busiest ? d.depth[b] : busiest;
        for (unsigned i = 0; is_atomic && i < d.n; i++)
            crowd = d.lanes[i] > crowd ? d.lanes[i] : crowd;
        cost.index_cycles += busiest;
        cost.conflict_cycles += busiest - 1;
        cost.address_conflict += crowd - 1;
    }
    return cost;
}
