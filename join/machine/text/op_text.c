/* op_text.c - see op_text.h. */
#include <stdlib.h>
#include <string.h>
#include "op_text.h"
#include "operands.h"
#include "lanescope/handler.h"

/* Scalar registers with names of their own, as operands number them; a pair has the name without _lo. */
static struct ls_registers named_range(const char *s)
{
    static const struct {
        const char *name;
        unsigned first, n;
    } names[] = {{"vcc_lo", LS_REGISTER_VCC, 1},   {"vcc_hi", LS_REGISTER_VCC + 1, 1},
                 {"vcc", LS_REGISTER_VCC, 2},      {"m0", LS_REGISTER_M0, 1},
                 {"exec_lo", LS_REGISTER_EXEC, 1}, {"exec_hi", LS_REGISTER_EXEC + 1, 1},
                 {"exec", LS_REGISTER_EXEC, 2}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == strcspn(s, ", ") && ls_text_starts(s, names[i].name))
            return (struct ls_registers){LS_FILE_SCALAR, names[i].first, names[i].n};
    return (struct ls_registers){.file = -1};
}

static struct ls_operand operand_of(const char *s)
{
    struct ls_operand x = {.r = ls_operand_range(s)};
    size_t n = strcspn(s, ", ");
    if (x.r.file < 0)
        x.r = named_range(s);
    x.constant = x.r.file < 0 && n && strchr("-0123456789", *s) && strspn(s, "-0123456789abcdefx") == n;
    if (x.constant)
        x.value = (int32_t)strtol(s, NULL, 0);
    if (*s == '-' || *s == '|') /* a modifier: not what the register holds */
        x.r.file = -1;
    return x;
}

/* Which operands make the address, as bits; 0: not a load or store that is known. */
static unsigned address_operands(const char *text)
{
    size_t n = strcspn(text, " ");
    bool lds = text[n] && strstr(text + n, " lds");
    if (strstr(text, "addtid") || strstr(text, "_lds_")) /* address from M0 */
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

static void read_address(struct ls_op *x, const char *text, const char *const *operand, unsigned n)
{
    unsigned mask = address_operands(text);
    for (unsigned i = 0; i < n; i++)
        if (mask >> i & 1 && !(ls_text_starts(operand[i], "off") && strcspn(operand[i], ", ") == 3))
            x->address[x->n_address++] = operand_of(operand[i]);
    x->buffer_mode = (uint8_t)((strstr(text, " offen") ? 1 : 0) | (strstr(text, " idxen") ? 2 : 0));
    if (n > 2 && ls_text_starts(text, "buffer_"))
        x->memory = operand_of(operand[2]).r;
    if (n > 1 && x->form.class == LS_ISA_SCALAR)
        x->memory = operand_of(operand[1]).r;
}

/* The mnemonic is `name`, perhaps with the suffix of an encoding that changes nothing, or, with a name that
 * ends in "_b", the width of a mask of lanes. */
static bool is_operation(const char *text, const char *name)
{
    size_t n = strlen(name);
    if (strncmp(text, name, n) != 0)
        return false;
    if (ls_text_starts(text, "s_") && name[n - 1] == 'b' &&
        (!strncmp(text + n, "32", 2) || !strncmp(text + n, "64", 2)))
        n += 2;
    n += ls_text_starts(text + n, "_e32") || ls_text_starts(text + n, "_e64") ? strlen("_e32") : 0;
    return text[n] == ' ';
}

static const struct {
    const char *name;
    uint8_t kind;     /* enum ls_op_kind */
    uint8_t operands; /* with the destination */
    bool reversed;
} operations[] = {
    {"v_mov_b32", LS_OP_MOVE, 2, false},
    {"s_mov_b", LS_OP_MOVE, 2, false},
    {"v_add_u32", LS_OP_ADD, 3, false},
    {"v_sub_u32", LS_OP_SUBTRACT, 3, false},
    {"v_subrev_u32", LS_OP_SUBTRACT, 3, true},
    {"v_mul_u32_u24", LS_OP_MULTIPLY_U24, 3, false},
    {"v_mad_u32_u24", LS_OP_MULTIPLY_U24, 4, false},
    {"v_mul_i32_i24", LS_OP_MULTIPLY_I24, 3, false},
    {"v_mad_i32_i24", LS_OP_MULTIPLY_I24, 4, false},
    {"v_mul_lo_u32", LS_OP_MULTIPLY, 3, false},
    {"v_lshlrev_b32", LS_OP_SHIFT_LEFT, 3, true},
    {"v_lshl_add_u32", LS_OP_SHIFT_LEFT, 4, false},
    {"s_add_u32", LS_OP_SCALAR_ADD, 3, false},
    {"s_addc_u32", LS_OP_SCALAR_ADD_CARRY, 3, false},
    {"s_and_b", LS_OP_AND, 3, false},
    {"s_andn2_b", LS_OP_AND_NOT, 3, false},
    {"s_and_not1_b", LS_OP_AND_NOT, 3, false},
    {"s_xor_b", LS_OP_XOR, 3, false},
    {"v_mbcnt_lo_u32_b32", LS_OP_COUNT_LOW, 3, false},
    {"v_mbcnt_hi_u32_b32", LS_OP_COUNT_HIGH, 3, false},
    {"v_cmp_eq_u32", LS_OP_EQUAL, 3, false},
    {"v_cmpx_eq_u32", LS_OP_EQUAL, 3, false}, /* gfx9 */
    {"v_lshl_add_u64", LS_OP_SHIFT_LEFT_64, 4, false},
    {"v_lshrrev_b32", LS_OP_SHIFT_RIGHT, 3, true},
    {"v_bfe_u32", LS_OP_FIELD, 4, false},
    {"v_and_b32", LS_OP_VECTOR_AND, 3, false},
    {"v_or_b32", LS_OP_VECTOR_OR, 3, false},
    {"v_and_or_b32", LS_OP_VECTOR_AND_OR, 4, false},
    {"v_lshl_or_b32", LS_OP_SHIFT_LEFT_OR, 4, false},
};

/* "RDNA3 Instruction Set Architecture", section VOP2: what is "addc_co" elsewhere is called "add_co_ci" there.
 * The second operand is the carry that they write. */
static const struct {
    const char *name;
    uint8_t kind, operands;
} carrying[] = {
    {"v_add_co_u32", LS_OP_ADD_OUT, 4},
    {"v_addc_co_u32", LS_OP_ADD_CARRY, 5},
    {"v_add_co_ci_u32", LS_OP_ADD_CARRY, 5},
};

static void read_computation(struct ls_op *x, const char *text, const char *const *operand, unsigned n)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations && !strstr(text, " clamp"); i++) {
        if (n != operations[i].operands || !is_operation(text, operations[i].name))
            continue;
        x->kind = operations[i].kind;
        x->to = operand_of(operand[0]).r;
        x->n_sources = (uint8_t)(n - 1);
        for (unsigned k = 0; k + 1 < n; k++)
            x->source[operations[i].reversed && k < 2 ? 1 - k : k] = operand_of(operand[k + 1]);
    }
    for (size_t i = 0; i < sizeof carrying / sizeof *carrying && !strstr(text, " clamp"); i++) {
        if (n != carrying[i].operands || !is_operation(text, carrying[i].name))
            continue;
        x->kind = carrying[i].kind;
        x->to = operand_of(operand[0]).r;
        x->carry = operand_of(operand[1]).r;
        x->n_sources = (uint8_t)(n - 2);
        for (unsigned k = 0; k + 2 < n; k++)
            x->source[k] = operand_of(operand[k + 2]);
    }
    if (n == 2 && is_operation(text, "v_cmpx_eq_u32") && !strstr(text, " clamp")) { /* to EXEC alone */
        x->kind = LS_OP_EQUAL;
        x->n_sources = 2;
        x->source[0] = operand_of(operand[0]);
        x->source[1] = operand_of(operand[1]);
    }
    if (n == 2 && is_operation(text, "s_movk_i32")) { /* 16 bits with sign, written without */
        x->kind = LS_OP_MOVE;
        x->to = operand_of(operand[0]).r;
        x->n_sources = 1;
        x->source[0] = operand_of(operand[1]);
        x->source[0].value = (int16_t)x->source[0].value;
    }
}

static bool starts_with_one(const char *text, const char *const *names)
{
    for (; *names; names++)
        if (ls_text_starts(text, *names))
            return true;
    return false;
}

static bool writes_nothing(const char *text)
{
    static const char *const names[] = {"ds_write",  "ds_store", "s_branch",  "s_cbranch",
                                        "s_waitcnt", "s_nop",    "s_barrier", "s_endpgm",
                                        "s_cmp_",    "s_cmpk_",  "s_bitcmp",  NULL};
    if (starts_with_one(text, names))
        return true;
    const char *store = strstr(text, "_store_"); /* global_, flat_, buffer_, scratch_, s_ */
    return store && store < text + strcspn(text, " ");
}

/* Whether operand 1 is written as well: a carry, or the other register of an exchange. */
static bool writes_second(const char *text)
{
    return strstr(text, "_swap") || strstr(text, "_co_") || ls_text_starts(text, "v_div_scale") ||
           ls_text_starts(text, "v_mad_u64_u32") || ls_text_starts(text, "v_mad_i64_i32");
}

static void add_written(struct ls_op *x, const char *operand)
{
    struct ls_registers r = operand_of(operand).r;
    if (r.file >= 0 && x->n_written < LS_OP_WRITTEN)
        x->written[x->n_written++] = r;
}

/* What stands first is written, or may be. */
static void read_written(struct ls_op *x, const char *text, const char *const *operand, unsigned n)
{
    if (n && !writes_nothing(text))
        add_written(x, operand[0]);
    if (n > 1 && writes_second(text))
        add_written(x, operand[1]);
    const char *second = strstr(text, " :: "); /* two instructions in one (v_dual_mov_b32) */
    second = second ? strchr(second + strlen(" :: "), ' ') : NULL;
    if (second)
        add_written(x, second + strspn(second, " "));
}

/* "RDNA3 Instruction Set Architecture", section SOP1: what is "andn2" elsewhere is called "and_not1" there,
 * and what is "andn1", "and_not0". */
static void read_saveexec(struct ls_op *x, const char *text, const char *const *operand, unsigned n)
{
    static const struct {
        const char *name;
        enum ls_exec exec;
    } names[] = {{"s_and_saveexec_b", LS_EXEC_AND},       {"s_or_saveexec_b", LS_EXEC_OR},
                 {"s_xor_saveexec_b", LS_EXEC_XOR},       {"s_andn2_saveexec_b", LS_EXEC_REST},
                 {"s_and_not1_saveexec_b", LS_EXEC_REST}, {"s_andn2_wrexec_b", LS_EXEC_REST},
                 {"s_and_not1_wrexec_b", LS_EXEC_REST},   {"s_andn1_saveexec_b", LS_EXEC_LESS},
                 {"s_and_not0_saveexec_b", LS_EXEC_LESS}, {"s_andn1_wrexec_b", LS_EXEC_LESS},
                 {"s_and_not0_wrexec_b", LS_EXEC_LESS}};
    x->exec = LS_EXEC_ELSE;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_operation(text, names[i].name))
            x->exec = names[i].exec;
    if (n > 1)
        x->from = operand_of(operand[1]);
    if (n && strstr(text, "saveexec"))
        x->saved = operand_of(operand[0]).r;
}

static void read_exec(struct ls_op *x, const char *text, const char *const *operand, unsigned n)
{
    struct ls_operand a = {.r.file = -1}, b = a;
    if (strstr(text, "saveexec") || strstr(text, "_wrexec")) {
        read_saveexec(x, text, operand, n);
        return;
    }
    if (strstr(text, "_cmpx")) {
        x->exec = LS_EXEC_LESS;
        return;
    }
    if (!n || !ls_text_starts(operand[0], "exec") || writes_nothing(text))
        return;
    x->exec = LS_EXEC_ELSE;
    if (n > 1)
        a = operand_of(operand[1]);
    if (n > 2)
        b = operand_of(operand[2]);
    const struct ls_registers to = operand_of(operand[0]).r;
    if (!ls_is_exec(x, to)) { /* a half of it */
        bool narrows =
            (x->kind == LS_OP_AND && (ls_registers_equal(to, a.r) || ls_registers_equal(to, b.r))) ||
            (x->kind == LS_OP_AND_NOT && ls_registers_equal(to, a.r));
        x->exec = narrows ? LS_EXEC_LESS : LS_EXEC_ELSE;
        return;
    }
    bool first = ls_is_exec(x, a.r), second = ls_is_exec(x, b.r);
    x->from = first && n > 2 ? b : a;
    if (x->kind == LS_OP_MOVE)
        x->exec = LS_EXEC_MOVE;
    else if (x->kind == LS_OP_AND_NOT && (first || second))
        x->exec = first ? LS_EXEC_LESS : LS_EXEC_REST;
    else if (first || second)
        x->exec = x->kind == LS_OP_AND           ? LS_EXEC_AND
                  : x->kind == LS_OP_XOR         ? LS_EXEC_XOR
                  : is_operation(text, "s_or_b") ? LS_EXEC_OR
                                                 : LS_EXEC_ELSE;
}

/* Of the two halves of gfx12's, the one that waits. */
static bool is_barrier(const char *text)
{
    return ls_text_starts(text, "s_barrier_wait") ||
           (ls_text_starts(text, "s_barrier") && !ls_text_starts(text, "s_barrier_"));
}

/* Offset of the target in units of 4 bytes behind the instruction: the low half of all SOPP encodings (AMD
 * "RDNA2" and "RDNA3" ISA documents, section "SOPP"). */
static void read_flow(struct ls_op *x, const char *text, uint32_t word, int64_t offset)
{
    static const char *const clobbers[] = {"s_swappc",  "s_setpc",    "s_call", "s_set_gpr_idx",
                                           "v_movreld", "v_movrelsd", NULL};
    static const char *const opaque[] = {"s_branch",    "s_cbranch",    "s_setpc",       "s_swappc",
                                         "s_call",      "s_endpgm",     "s_trap",        "s_set_gpr_idx",
                                         "v_movrel",    "s_movrel",     "s_rfe",         "s_setreg",
                                         "s_subvector", "s_round_mode", "s_denorm_mode", NULL};
    bool always = ls_text_starts(text, "s_branch"), maybe = ls_text_starts(text, "s_cbranch");
    if (always || maybe) {
        x->flags |= LS_OP_JUMPS | (maybe ? LS_OP_FALLS : 0);
        x->target = offset + 4 + 4 * (int64_t)(int16_t)(word & 0xffff);
    } else if (ls_text_starts(text, "s_endpgm") || ls_text_starts(text, "s_setpc")) {
        x->flags |= LS_OP_STOPS;
    }
    x->flags |= (ls_text_starts(text, "s_cbranch_execz") ? LS_OP_EXECZ : 0) |
                (is_barrier(text) ? LS_OP_BARRIER : 0) |
                (starts_with_one(text, clobbers) ? LS_OP_CLOBBERS : 0) |
                (starts_with_one(text, opaque) ? LS_OP_OPAQUE : 0);
    if (ls_text_starts(text, "s_clause")) /* see op_decoded.c */
        x->clause = (uint8_t)((word & 63) + 1);
}

static enum lanescope_class scalar_class(const char *text)
{
    static const char *const memory[] = {"s_load",    "s_store",       "s_buffer_",  "s_scratch_",
                                         "s_atomic_", "s_dcache",      "s_gl1",      "s_icache",
                                         "s_memtime", "s_memrealtime", "s_prefetch", NULL};
    static const char *const branches[] = {"s_branch", "s_cbranch", "s_setpc",          "s_swappc", "s_call",
                                           "s_endpgm", "s_rfe",     "s_subvector_loop", NULL};
    static const char *const waits[] = {"s_wait",   "s_nop",     "s_sleep",         "s_barrier", "s_delay",
                                        "s_clause", "s_setprio", "s_inst_prefetch", NULL};
    static const char *const others[] = {"s_sendmsg", "s_trap",     "s_sethalt", "s_setkill",
                                         "s_wakeup",  "s_incperf",  "s_decperf", "s_ttrace",
                                         "s_version", "s_code_end", NULL};
    return starts_with_one(text, memory)     ? LANESCOPE_CLASS_SMEM
           : starts_with_one(text, branches) ? LANESCOPE_CLASS_BRANCH
           : starts_with_one(text, waits)    ? LANESCOPE_CLASS_WAIT
           : starts_with_one(text, others)   ? LANESCOPE_CLASS_OTHER
                                             : LANESCOPE_CLASS_SALU;
}

static enum lanescope_class class_of(const char *text)
{
    static const char *const matrix[] = {"v_mfma", "v_smfmac", "v_wmma", "v_swmmac", NULL};
    static const char *const memory[] = {"global_",  "flat_",  "buffer_", "tbuffer_",
                                         "scratch_", "image_", NULL};
    static const char *const caches[] = {"buffer_wb", "buffer_inv", "buffer_gl",
                                         "global_wb", "global_inv", NULL};
    if (starts_with_one(text, matrix))
        return LANESCOPE_CLASS_MATRIX;
    if (ls_text_starts(text, "v_"))
        return LANESCOPE_CLASS_VALU;
    if (ls_text_starts(text, "s_"))
        return scalar_class(text);
    if (ls_text_starts(text, "ds_"))
        return LANESCOPE_CLASS_LDS;
    if (!starts_with_one(text, memory) || starts_with_one(text, caches))
        return LANESCOPE_CLASS_OTHER;
    if (strstr(text, "_atomic"))
        return LANESCOPE_CLASS_VMEM_ATOMIC;
    return strstr(text, "_store") ? LANESCOPE_CLASS_VMEM_STORE : LANESCOPE_CLASS_VMEM_LOAD;
}

struct ls_op ls_op_text(const char *text, unsigned lanes, uint32_t word, int64_t offset)
{
    struct ls_op x = {.form = ls_isa_form(text),
                      .code_class = class_of(text),
                      .memory = {.file = -1},
                      .to = {.file = -1},
                      .carry = {.file = -1},
                      .data = {{.file = -1}, {.file = -1}},
                      .from.r.file = -1,
                      .saved = {.file = -1},
                      .mask_dwords = (uint8_t)(lanes / 32)};
    const char *operand[LS_OPERANDS];
    unsigned n = ls_operands(text, operand);
    read_address(&x, text, operand, n);
    read_computation(&x, text, operand, n);
    read_written(&x, text, operand, n);
    read_exec(&x, text, operand, n);
    read_flow(&x, text, word, offset);
    return x;
}
