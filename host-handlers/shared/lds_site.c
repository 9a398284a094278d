#include "lds_site.h"
#include "plan.h"
#include "lanescope/sites.h"

unsigned ls_lds_piece(const struct lanescope_site *s, uint64_t bytes, uint64_t done)
{
    unsigned left = bytes - done < 16 ? (unsigned)(bytes - done) : 16;
    return left == 16 && s->align == 8 ? 8 : left;
}

/* An access begins with `*n` pieces of the returned length; what is left is one piece more, or nothing. */
static unsigned whole_pieces(const struct lanescope_site *s, uint64_t bytes, uint64_t *n)
{
    unsigned piece = ls_lds_piece(s, 16, 0);
    *n = bytes < 16 ? 0 : (bytes - 16) / piece + 1;
    return piece;
}

bool ls_lds_has_piece(const struct lanescope_site *s, unsigned offset, unsigned bytes)
{
    uint64_t n;
    unsigned piece = whole_pieces(s, s->bytes, &n);
    if (offset / piece < n)
        return offset % piece == 0 && bytes == piece;
    return offset == n * piece && bytes && bytes == s->bytes - n * piece;
}

static bool is_write(const struct lanescope_site *s)
{
    return s->kind == LS_SITE_STORE || s->kind == LS_SITE_COPY_WRITE || s->kind == LS_SITE_LDS_DMA_WRITE;
}

const struct ls_lds_phases *ls_lds_phases_of(const struct ls_gpu *gpu, const struct lanescope_site *s,
                                             unsigned bytes)
{
    return ls_lds_phases(gpu, is_write(s), bytes);
}

struct ls_lds_cost ls_lds_pass_cost(const struct ls_gpu *gpu, const struct lanescope_site *s, uint64_t exec,
                                    unsigned bytes, unsigned offset, const uint64_t addr[64])
{
    uint32_t at[64];
    for (unsigned lane = 0; !~exec && lane < 64; lane++)
        at[lane] = (uint32_t)(addr[lane] + offset);
    for (uint64_t m = ~exec ? exec : 0; m; m &= m - 1)
        at[__builtin_ctzll(m)] = (uint32_t)(addr[__builtin_ctzll(m)] + offset);
    return ls_lds_access(gpu, is_write(s), ls_plan_is_atomic(s), bytes, exec, at);
}

static void add_cost(struct ls_lds_cost *sum, const struct ls_lds_cost *c, uint64_t times)
{
    sum->index_cycles += times * c->index_cycles;
    sum->conflict_cycles += times * c->conflict_cycles;
    sum->address_conflict += times * c->address_conflict;
    sum->assumed_cycles += times * c->assumed_cycles;
}

/* Equal pieces cost the same: they are whole dwords apart, which only renames the banks. So the work does not
 * grow with the length, which a message may say is LS_LDS_MOST. */
struct ls_lds_cost ls_lds_site_cost(const struct ls_gpu *gpu, const struct lanescope_site *s, uint64_t exec,
                                    uint64_t bytes, const uint64_t addr[64])
{
    struct ls_lds_cost sum = {0}, c;
    uint64_t n;
    unsigned piece = whole_pieces(s, bytes, &n), rest = (unsigned)(bytes - n * piece);
    if (n) {
        c = ls_lds_pass_cost(gpu, s, exec, piece, 0, addr);
        add_cost(&sum, &c, n);
    }
    if (rest) {
        c = ls_lds_pass_cost(gpu, s, exec, rest, (unsigned)(n * piece), addr);
        add_cost(&sum, &c, 1);
    }
    return sum;
}
