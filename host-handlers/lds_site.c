#include "lds_site.h"
#include "lanescope/sites.h"

/* The hardware's piece of an access at byte `done` of `bytes`: 16, or what is left; 8 for read2/write2 of 64
 * bits. */
static unsigned piece(const struct lanescope_site *s, uint64_t bytes, uint64_t done)
{
    unsigned left = bytes - done < 16 ? (unsigned)(bytes - done) : 16;
    return left == 16 && s->align == 8 ? 8 : left;
}

struct ls_lds_cost ls_lds_pass_cost(const struct ls_lds_arch *arch, const struct lanescope_site *s,
                                    uint64_t exec, unsigned bytes, unsigned offset, const uint64_t addr[64])
{
    bool is_write =
        s->kind == LS_SITE_STORE || s->kind == LS_SITE_COPY_WRITE || s->kind == LS_SITE_LDS_DMA_WRITE;
    bool is_atomic = s->kind == LS_SITE_RMW || s->kind == LS_SITE_CMPXCHG;
    uint32_t at[64];
    for (uint64_t m = exec; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        at[lane] = (uint32_t)(addr[lane] + offset);
    }
    return ls_lds_access(arch, is_write, is_atomic, bytes, exec, at);
}

struct ls_lds_cost ls_lds_site_cost(const struct ls_lds_arch *arch, const struct lanescope_site *s,
                                    uint64_t exec, uint64_t bytes, const uint64_t addr[64])
{
    struct ls_lds_cost sum = {0};
    for (uint64_t done = 0, n; done < bytes; done += n) {
        n = piece(s, bytes, done);
        struct ls_lds_cost c = ls_lds_pass_cost(arch, s, exec, (unsigned)n, (unsigned)done, addr);
        sum.index_cycles += c.index_cycles;
        sum.conflict_cycles += c.conflict_cycles;
        sum.address_conflict += c.address_conflict;
    }
    return sum;
}
