/* bases.c - see bases.h. Where operands stand: LLVM's assembler syntax for AMDGPU. */
#include "bases.h"

#include <stdbool.h>
#include <stdlib.h>
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

/* Only of an LDS address, which is one register, constants are known: of others a sum of 32 bits is a part,
 * so that it matters whether it goes over. */
static struct ls_base base_of(const struct ls_bases *b, const char *text, unsigned mask,
                              const char *const *operand, unsigned n)
{
    struct ls_base base = {.shift = 0};
    uint32_t h = mix(mix(0x811c9dc5u, b->clobbers), buffer_mode(text)), root = h;
    bool any = false, lds = ls_text_starts(text, "ds_");
    for (unsigned i = 0; i < n; i++) {
        struct ls_range r = mask >> i & 1 ? ls_operand_range(operand[i]) : (struct ls_range){-1, 0, 0};
        if (mask >> i & 1 && r.file < 0 &&
            (!mix_constant(&h, operand[i]) || !mix_constant(&root, operand[i])))
            return (struct ls_base){.shift = 0};
        for (unsigned k = 0; r.file >= 0 && k < r.n; k++) {
            uint32_t what = contents(b, r.file, r.first + k);
            int32_t shift = b->shift[r.file][r.first + k];
            h = mix(mix(h, what), (uint32_t)shift);
            root = mix(mix(root, what), lds ? 0 : (uint32_t)shift);
            base.shift += lds ? shift : 0;
            any = true;
        }
    }
    base.number = any ? h | 1 : 0;
    base.root = any ? root | 1 : 0;
    return base;
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
        b->shift[r.file][r.first + k] = 0;
        b->derived[r.file][r.first + k] = false;
        if (r.file == 2)
            b->changed[r.first + k] = true;
    }
}

/* A number that stands for zero, so that the shift is the value. */
static const uint32_t ZERO = 0xc0000000u;

struct value {
    uint32_t number; /* 0: not known */
    int32_t shift;
};

static struct value value_in(const struct ls_bases *b, int file, unsigned i)
{
    return (struct value){contents(b, file, i) - 3 * LS_REGISTERS, b->shift[file][i]};
}

/* What an operand of 32 bits holds. */
static struct value value_of(const struct ls_bases *b, const char *operand)
{
    struct ls_range r = ls_operand_range(operand);
    size_t n = strcspn(operand, ", ");
    if (r.file >= 0 && r.n == 1 && *operand != '-' && *operand != '|') {
        return value_in(b, r.file, r.first);
    }
    if (r.file >= 0 || !n || !strchr("-0123456789", *operand) || strspn(operand, "-0123456789abcdefx") != n)
        return (struct value){0, 0};
    return (struct value){ZERO, (int32_t)strtol(operand, NULL, 0)};
}

/* The number of what an operation makes of two values. */
static uint32_t result_of(char operation, struct value a, struct value b)
{
    uint32_t h = mix(0x811c9dc5u, (unsigned char)operation);
    bool swap = operation != '<' && (a.number > b.number || (a.number == b.number && a.shift > b.shift));
    struct value first = swap ? b : a, second = swap ? a : b;
    h = mix(mix(h, first.number), (uint32_t)first.shift);
    h = mix(mix(h, second.number), (uint32_t)second.shift);
    return 0x80000000u | (h & 0x3fffffffu);
}

/* Sums are those of the hardware, of 32 bits. */
static struct value sum_of(struct value a, struct value b)
{
    int32_t shift = (int32_t)((uint32_t)a.shift + (uint32_t)b.shift);
    if (!a.number || !b.number)
        return (struct value){0, 0};
    if (a.number == ZERO || b.number == ZERO)
        return (struct value){a.number == ZERO ? b.number : a.number, shift};
    a.shift = b.shift = 0;
    return (struct value){result_of('+', a, b), shift};
}

static struct value difference_of(struct value a, struct value b)
{
    if (b.number == ZERO)
        return sum_of(a, (struct value){ZERO, (int32_t)(0u - (uint32_t)b.shift)});
    struct value negative = {result_of('-', (struct value){b.number, 0}, (struct value){ZERO, 0}),
                             (int32_t)(0u - (uint32_t)b.shift)};
    return sum_of(a, negative);
}

/* Operations of which LLVM makes addresses. With `product` 0 the operands are only added up; a third operand
 * is added to what the first two make; `reversed`: the second is the shifted one. */
static const struct {
    const char *name;
    char product;
    unsigned operands;
    bool reversed;
} OPERATIONS[] = {
    {"v_add_u32", 0, 3, false},        {"v_mul_u32_u24", 'u', 3, false}, {"v_mul_i32_i24", 'i', 3, false},
    {"v_mul_lo_u32", '*', 3, false},   {"v_mad_u32_u24", 'u', 4, false}, {"v_mad_i32_i24", 'i', 4, false},
    {"v_sub_u32", '-', 3, false},      {"v_subrev_u32", '-', 3, true},   {"v_lshlrev_b32", '<', 3, true},
    {"v_lshl_add_u32", '<', 4, false},
};

static bool is_operation(const char *text, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(text, name, n) != 0)
        return false;
    n += ls_text_starts(text + n, "_e32") || ls_text_starts(text + n, "_e64") ? strlen("_e32") : 0;
    return text[n] == ' ';
}

/* What the instruction computes, if that is followed. */
static struct value computed(const struct ls_bases *b, const char *text, const char *const *operand,
                             unsigned n)
{
    if (strstr(text, " clamp"))
        return (struct value){0, 0};
    for (unsigned i = 0; i < sizeof OPERATIONS / sizeof *OPERATIONS; i++) {
        if (n != OPERATIONS[i].operands || !is_operation(text, OPERATIONS[i].name))
            continue;
        struct value x = value_of(b, operand[OPERATIONS[i].reversed ? 2 : 1]);
        struct value y = value_of(b, operand[OPERATIONS[i].reversed ? 1 : 2]);
        if (!x.number || !y.number)
            return (struct value){0, 0};
        if (OPERATIONS[i].product == '-')
            return difference_of(x, y);
        struct value made =
            OPERATIONS[i].product ? (struct value){result_of(OPERATIONS[i].product, x, y), 0} : sum_of(x, y);
        return n == 4 ? sum_of(made, value_of(b, operand[3])) : made;
    }
    bool moves = is_operation(text, "v_mov_b32") || is_operation(text, "s_mov_b32");
    return moves && n == 2 ? value_of(b, operand[1]) : (struct value){0, 0};
}

/* A register whose contents others tell: LLVM without optimisation copies addresses; with it, it puts
 * constants that an instruction's offset has no room for into registers. */
static bool derive(struct ls_bases *b, const char *text, const char *const *operand, unsigned n)
{
    struct ls_range to = ls_operand_range(operand[0]);
    struct value v[2] = {{0, 0}, {0, 0}};
    if (to.file >= 0 && to.n == 1)
        v[0] = computed(b, text, operand, n);
    if (to.file >= 0 && to.n == 2 && n == 2 && is_operation(text, "s_mov_b64")) {
        struct ls_range from = ls_operand_range(operand[1]);
        for (unsigned k = 0; from.file >= 0 && from.n == 2 && k < 2; k++) {
            v[k] = value_in(b, from.file, from.first + k);
        }
    }
    if (!v[0].number)
        return false;
    for (unsigned k = 0; k < to.n; k++) {
        b->contents[to.file][to.first + k] = v[k].number;
        b->shift[to.file][to.first + k] = v[k].shift;
        b->derived[to.file][to.first + k] = true;
        if (to.file == 2)
            b->changed[to.first + k] = true;
    }
    return true;
}

/* What was computed in registers of that file is from now on nothing but what they hold. */
static void forget_derived(struct ls_bases *b, int file)
{
    for (unsigned i = 0; i < LS_REGISTERS; i++) {
        if (b->derived[file][i]) {
            b->contents[file][i] = ++b->writes;
            b->shift[file][i] = 0;
        }
        b->derived[file][i] = false;
    }
}

void ls_bases_block(struct ls_bases *b)
{
    for (int file = 0; file < 3; file++)
        forget_derived(b, file);
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

struct ls_base ls_bases_next(struct ls_bases *b, const char *text)
{
    const char *operand[LS_OPERANDS];
    unsigned n = ls_operands(text, operand), mask = address_operands(text);
    struct ls_base base = mask ? base_of(b, text, mask, operand, n) : (struct ls_base){.shift = 0};
    if (clobbers_all(text))
        b->clobbers++;
    if (strstr(text, "exec")) /* lanes that are switched on now have computed nothing */
        forget_derived(b, 0), forget_derived(b, 1);
    if (n && !writes_nothing(text) && !derive(b, text, operand, n))
        count_write(b, operand[0]);
    if (n > 1 && writes_second(text))
        count_write(b, operand[1]);
    const char *second = strstr(text, " :: "); /* two instructions in one (v_dual_mov_b32) */
    if (second)
        ls_bases_next(b, second + strlen(" :: "));
    return base;
}
