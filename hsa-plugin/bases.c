/* bases.c - see bases.h. Where operands stand: LLVM's assembler syntax for AMDGPU. */
#include "bases.h"

#include <stdbool.h>
#include <string.h>
#include "operands.h"

/* Which operands make the address, as bits; 0: not a load or store that is known. */
static unsigned address_operands(const char *text)
{
    size_t n = strcspn(text, " ");
    bool lds = text[n] && strstr(text + n, " lds");
    if (strstr(text, "addtid")) /* address from M0 */
        return 0;
    if (ls_text_starts(text, "ds_read") || ls_text_starts(text, "ds_load"))
        return 1u << 1;
    if (ls_text_starts(text, "ds_write") || ls_text_starts(text, "ds_store"))
        return 1u << 0;
    if (lds)
        return 0;
    if (ls_text_starts(text, "global_load") || ls_text_starts(text, "flat_load"))
        return 1u << 1 | 1u << 2;
    if (ls_text_starts(text, "global_store") || ls_text_starts(text, "flat_store"))
        return 1u << 0 | 1u << 2;
    if (ls_text_starts(text, "buffer_load") || ls_text_starts(text, "buffer_store"))
        return 1u << 1 | 1u << 2 | 1u << 3;
    return 0;
}

static uint32_t mix(uint32_t h, uint32_t x)
{
    return (h ^ x) * 0x01000193u; /* FNV-1a */
}

/* An operand that is none of the registers: "off" adds nothing to the address, an integer itself; of
 * others (vcc, m0) nobody knows when they change. */
static bool mix_constant(uint32_t *h, const char *operand)
{
    size_t n = strcspn(operand, ", ");
    bool integer = strchr("-0123456789", *operand) && strspn(operand, "-0123456789abcdefx") == n;
    if (n == strlen("off") && ls_text_starts(operand, "off"))
        return true;
    if (!n || !integer)
        return false;
    for (size_t i = 0; i < n; i++)
        *h = mix(*h, (unsigned char)operand[i]);
    return true;
}

/* How a buffer's vector registers count: as offset, as index of a record, or as both. */
static uint32_t buffer_mode(const char *text)
{
    return (strstr(text, " offen") ? 1 : 0) | (strstr(text, " idxen") ? 2 : 0);
}

/* Number of what is in a register: 0 and up: what it began with; then each write has one, and a copy that of
 * its source. */
static uint32_t contents(const struct ls_bases *b, int file, unsigned i)
{
    uint32_t written = b->contents[file][i];
    return written ? written + 3 * LS_REGISTERS : (uint32_t)file * LS_REGISTERS + i;
}

static uint32_t number(const struct ls_bases *b, const char *text, unsigned mask, const char *const *operand,
                       unsigned n)
{
    uint32_t h = mix(mix(0x811c9dc5u, b->clobbers), buffer_mode(text));
    bool any = false;
    for (unsigned i = 0; i < n; i++) {
        struct ls_range r = mask >> i & 1 ? ls_operand_range(operand[i]) : (struct ls_range){-1, 0, 0};
        if (mask >> i & 1 && r.file < 0 && !mix_constant(&h, operand[i]))
            return 0;
        for (unsigned k = 0; r.file >= 0 && k < r.n; k++)
            h = mix(h, contents(b, r.file, r.first + k)), any = true;
    }
    return any ? h | 1 : 0;
}

static bool writes_nothing(const char *text)
{
    static const char *const names[] = {"ds_write",  "ds_store", "s_branch",  "s_cbranch",
                                        "s_waitcnt", "s_nop",    "s_barrier", "s_endpgm",
                                        "s_cmp_",    "s_cmpk_",  "s_bitcmp"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (ls_text_starts(text, names[i]))
            return true;
    const char *store = strstr(text, "_store_"); /* global_, flat_, buffer_, scratch_, s_ */
    return store && store < text + strcspn(text, " ");
}

static void count_write(struct ls_bases *b, const char *operand)
{
    struct ls_range r = ls_operand_range(operand);
    for (unsigned k = 0; r.file >= 0 && k < r.n; k++) {
        b->contents[r.file][r.first + k] = ++b->writes;
        b->copied[r.file][r.first + k] = false;
        if (r.file == 2)
            b->changed[r.first + k] = true;
    }
}

/* A register whose contents another one has now, too: LLVM without optimisation copies addresses. */
static bool copy(struct ls_bases *b, const char *text, const char *const *operand, unsigned n)
{
    struct ls_range to = n == 2 ? ls_operand_range(operand[0]) : (struct ls_range){-1, 0, 0};
    struct ls_range from = n == 2 ? ls_operand_range(operand[1]) : (struct ls_range){-1, 0, 0};
    bool moves = ls_text_starts(text, "v_mov_b32_e32 ") || ls_text_starts(text, "s_mov_b32 ") ||
                 ls_text_starts(text, "s_mov_b64 ");
    if (!moves || to.file < 0 || from.file < 0 || to.n != from.n)
        return false;
    for (unsigned k = 0; k < to.n; k++) {
        uint32_t source = b->contents[from.file][from.first + k];
        if (!source) /* as it began: with a number of its own from now on, which is the same for both */
            source = b->contents[from.file][from.first + k] = ++b->writes;
        b->contents[to.file][to.first + k] = source;
        b->copied[to.file][to.first + k] = to.file == 0;
        if (to.file == 2)
            b->changed[to.first + k] = true;
    }
    return true;
}

/* Lanes that are switched on now may not have been copied. */
static void forget_copies(struct ls_bases *b, const char *text)
{
    if (!strstr(text, "exec"))
        return;
    for (unsigned i = 0; i < LS_REGISTERS; i++) {
        if (b->copied[0][i])
            b->contents[0][i] = ++b->writes;
        b->copied[0][i] = false;
    }
}

/* Whether operand 1 is written as well: a carry, or the other register of an exchange. */
static bool writes_second(const char *text)
{
    return strstr(text, "_swap") || strstr(text, "_co_") || ls_text_starts(text, "v_div_scale") ||
           ls_text_starts(text, "v_mad_u64_u32") || ls_text_starts(text, "v_mad_i64_i32");
}

/* Jumps into other functions, and writes to registers that the text does not name. */
static bool clobbers_all(const char *text)
{
    return ls_text_starts(text, "s_swappc") || ls_text_starts(text, "s_setpc") ||
           ls_text_starts(text, "s_call") || ls_text_starts(text, "s_set_gpr_idx") ||
           ls_text_starts(text, "v_movreld") || ls_text_starts(text, "v_movrelsd");
}

bool ls_bases_input(const struct ls_bases *b, const char *text, unsigned end)
{
    const char *operand[LS_OPERANDS];
    unsigned n = ls_operands(text, operand);
    struct ls_range r = n > 1 ? ls_operand_range(operand[1]) : (struct ls_range){-1, 0, 0};
    if (b->clobbers || r.file != 2 || r.first + r.n > end)
        return false;
    for (unsigned k = 0; k < r.n; k++)
        if (b->changed[r.first + k])
            return false;
    return true;
}

uint32_t ls_bases_next(struct ls_bases *b, const char *text)
{
    const char *operand[LS_OPERANDS];
    unsigned n = ls_operands(text, operand), mask = address_operands(text);
    uint32_t base = mask ? number(b, text, mask, operand, n) : 0;
    if (clobbers_all(text))
        b->clobbers++;
    forget_copies(b, text);
    if (n && !writes_nothing(text) && !copy(b, text, operand, n))
        count_write(b, operand[0]);
    if (n > 1 && writes_second(text))
        count_write(b, operand[1]);
    const char *second = strstr(text, " :: "); /* two instructions in one (v_dual_mov_b32) */
    if (second)
        ls_bases_next(b, second + strlen(" :: "));
    return base;
}
