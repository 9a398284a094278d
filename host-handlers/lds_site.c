#include "lds_site.h"
#include "lanescope/sites.h"

unsigned ls_lds_piece(const struct lanescope_site *s, uint64_t bytes, uint64_t done)
{
    unsigned left = bytes - done < 16 ? (unsigned)(bytes - done) : 16;
    return left == 16 && s->align == 8 ? 8 : left;
}

bool ls_lds_has_piece(const struct lanescope_site *s, unsigned offset, unsigned bytes)
{
    uint64_t done = 0;
    while (done < s->bytes && done < offset)
        done += ls_lds_piece(s, s->bytes, done);
    return done == offset && done < s->bytes && ls_lds_piece(s, s->bytes, done) == bytes;
}

static bool is_write(const struct lanescope_site *s)
{
    return s->kind == LS_SITE_STORE || s->kind == LS_SITE_COPY_WRITE || s->kind == LS_SITE_LDS_DMA_WRITE;
}

bool ls_lds_is_atomic(const struct lanescope_site *s)
{
    return s->kind == LS_SITE_RMW || s->kind == LS_SITE_CMPXCHG;
}

const struct ls_lds_phases *ls_lds_phases_of(const struct ls_lds_arch *arch, const struct lanescope_site *s,
                                             unsigned bytes)
{
    return ls_lds_phases(arch, is_write(s), bytes);
}

struct ls_lds_cost ls_lds_pass_cost(const struct ls_lds_arch *arch, const struct lanescope_site *s,
                                    uint64_t exec, unsigned bytes, unsigned offset, const uint64_t addr[64])
{
    uint32_t at[64];
    for (uint64_t m = exec; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        at[lane] = (uint32_t)(addr[lane] + offset);
    }
    return ls_lds_access(arch, is_write(s), ls_lds_is_atomic(s), bytes, exec, at);
}

struct ls_lds_cost ls_lds_site_cost(const struct ls_lds_arch *arch, const struct lanescope_site *s,
                                    uint64_t exec, uint64_t bytes, const uint64_t addr[64])
{
    struct ls_lds_cost sum = {0};
    for (uint64_t done = 0, n; done < bytes; done += n) {
        n = ls_lds_piece(s, bytes, done);
        struct ls_lds_cost c = ls_lds_pass_cost(arch, s, exec, (unsigned)n, (unsigned)done, addr);
        sum.index_cycles += c.index_cycles;
        sum.conflict_cycles += c.conflict_cycles;
        sum.address_conflict += c.address_conflict;
    }
    return sum;
}
