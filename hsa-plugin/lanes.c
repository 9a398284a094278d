/*
 * lanes.c - see lanes.h. What is followed:
 *
 *     s_mov_b64 s[4:5], exec               or exec itself below
 *     v_mbcnt_lo_u32_b32 v1, s4, 0
 *     v_mbcnt_hi_u32_b32 v1, s5, v1        v1: active lanes below this one (AMD "Instinct MI200" ISA
 *     v_cmp_eq_u32_e32 vcc, 0, v1          document, section 12.11: V_MBCNT_LO/HI_U32_B32)
 *     s_and_saveexec_b64 s[2:3], vcc       exec: the lowest active lane; or s_and_b64 exec, exec, vcc,
 * perhaps in two steps: s_and_b64 s[2:3], exec, vcc; s_mov_b64 exec, s[2:3] s_xor_b64 s[2:3], exec, s[2:3]
 * perhaps s_cbranch_execz ...                  perhaps
 *
 * in this order, with anything in between that does not write these registers. Whatever is not understood
 * ends it.
 */
#include "lanes.h"

#include <string.h>
#include "operands.h"

static const uint32_t VCC = ~0u;

static bool is_word(const char *s, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(s, word, n) && (!s[n] || s[n] == ',' || s[n] == ' ');
}

/* Number + 1 of the first register of an operand; 0: it is no register of that file. */
static uint32_t number_of(const char *operand, int file, unsigned n)
{
    struct ls_range r = ls_operand_range(operand);
    return r.file == file && r.n == n ? r.first + 1 : 0;
}

static uint32_t mask_of(const char *operand)
{
    return is_word(operand, "vcc") ? VCC : number_of(operand, 2, 2);
}

static bool touches(const char *operand, int file, uint32_t number, unsigned n)
{
    struct ls_range r = ls_operand_range(operand);
    return number && r.file == file && r.first < number - 1 + n && number - 1 < r.first + r.n;
}

/* What stands first, and with carries and exchanges second, is written, or may be. */
static void forget_written(struct ls_lanes *x, const char *operand)
{
    if (touches(operand, 2, x->exec, 2))
        x->exec = 0;
    if (touches(operand, 0, x->low, 1))
        x->low = 0;
    if (touches(operand, 0, x->rank, 1))
        x->rank = 0;
    if (x->lowest == VCC ? ls_text_starts(operand, "vcc") : touches(operand, 2, x->lowest, 2))
        x->lowest = 0;
    if (x->fewer == VCC ? ls_text_starts(operand, "vcc") : touches(operand, 2, x->fewer, 2))
        x->fewer = 0;
}

static void forget_all(struct ls_lanes *x)
{
    x->exec = x->low = x->rank = x->lowest = x->fewer = 0;
}

static bool writes_exec(const char *text, const char *const *operand, unsigned n)
{
    return strstr(text, "saveexec") || strstr(text, "_cmpx") || strstr(text, "_wrexec") ||
           (n && ls_text_starts(operand[0], "exec"));
}

/* Branches, calls, and writes of registers that the text does not name. */
static bool ends_all(const char *text)
{
    static const char *const names[] = {"s_branch", "s_cbranch", "s_setpc",       "s_swappc", "s_call",
                                        "s_endpgm", "s_trap",    "s_set_gpr_idx", "v_movrel", "s_movrel",
                                        "s_rfe",    "s_setreg",  "s_subvector"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ls_text_starts(text, names[i]))
            return true;
    return false;
}

/* One step of the chain. false: the instruction is none. */
static bool follow(struct ls_lanes *x, const char *text, const char *const *operand, unsigned n, uint64_t at)
{
    uint32_t source = n > 1 ? number_of(operand[1], 2, 1) : 0;
    if (n == 2 && ls_text_starts(text, "s_mov_b64 ") && is_word(operand[1], "exec") && mask_of(operand[0]) &&
        mask_of(operand[0]) != VCC) {
        forget_written(x, operand[0]);
        x->exec = mask_of(operand[0]);
        x->copied = at;
        return true;
    }
    if (n == 3 && ls_text_starts(text, "v_mbcnt_lo_u32_b32") && is_word(operand[2], "0")) {
        bool copy = source && source == x->exec, itself = is_word(operand[1], "exec_lo");
        forget_written(x, operand[0]);
        x->low = copy || itself ? number_of(operand[0], 0, 1) : 0;
        x->counted = copy ? x->copied : at;
        return true;
    }
    if (n == 3 && ls_text_starts(text, "v_mbcnt_hi_u32_b32")) {
        bool copy = source && x->exec && source == x->exec + 1, itself = is_word(operand[1], "exec_hi");
        bool low = x->low && number_of(operand[2], 0, 1) == x->low;
        forget_written(x, operand[0]);
        x->rank = low && (copy || itself) ? number_of(operand[0], 0, 1) : 0;
        if (copy && x->copied < x->counted)
            x->counted = x->copied;
        return true;
    }
    if (n == 3 && ls_text_starts(text, "v_cmp_eq_u32") && is_word(operand[1], "0") && x->rank &&
        number_of(operand[2], 0, 1) == x->rank) {
        forget_written(x, operand[0]);
        x->lowest = mask_of(operand[0]);
        return true;
    }
    return false;
}

/* Of an s_and_b64 of the active lanes with a mask: the mask's operand. NULL: it is no such instruction. */
static const char *and_exec(const char *text, const char *const *operand, unsigned n)
{
    if (n != 3 || !ls_text_starts(text, "s_and_b64"))
        return NULL;
    return is_word(operand[1], "exec") ? operand[2] : is_word(operand[2], "exec") ? operand[1] : NULL;
}

/* Some of the active lanes, put into a pair of registers from which they will come into exec. */
static bool follow_fewer(struct ls_lanes *x, const char *text, const char *const *operand, unsigned n)
{
    const char *mask = and_exec(text, operand, n);
    bool without = n == 3 && ls_text_starts(text, "s_andn2_b64") && is_word(operand[1], "exec");
    if ((!mask && !without) || !mask_of(operand[0]))
        return false;
    bool lowest = mask && x->lowest && mask_of(mask) == x->lowest;
    forget_written(x, operand[0]);
    x->fewer = mask_of(operand[0]);
    x->fewer_is_lowest = lowest;
    return true;
}

bool ls_lanes_narrows(const struct ls_lanes *x, const char *text)
{
    const char *operand[LS_OPERANDS];
    unsigned n = ls_operands(text, operand);
    bool moved = n == 2 && x->fewer && ls_text_starts(text, "s_mov_b64") && is_word(operand[0], "exec") &&
                 mask_of(operand[1]) == x->fewer;
    return moved || ls_text_starts(text, "s_and_saveexec") || ls_text_starts(text, "s_andn2_saveexec") ||
           (n == 3 && is_word(operand[0], "exec") &&
            (ls_text_starts(text, "s_and_b64") || ls_text_starts(text, "s_andn2_b64 exec, exec") ||
             ls_text_starts(text, "s_xor_b64 exec, exec")));
}

static struct ls_lanes_region begin(const struct ls_lanes *x, const char *text, const char *const *operand,
                                    unsigned n, uint64_t at, uint32_t mask)
{
    const char *of = n == 2 && ls_text_starts(text, "s_and_saveexec_b64")
                         ? operand[1]
                         : (is_word(operand[0], "exec") ? and_exec(text, operand, n) : NULL);
    bool moved = x->fewer_is_lowest && ls_lanes_narrows(x, text) && ls_text_starts(text, "s_mov_b64");
    if (moved || (x->lowest && of && mask_of(of) == x->lowest))
        return (struct ls_lanes_region){at + 1, x->counted, 0, mask};
    return (struct ls_lanes_region){0};
}

struct ls_lanes_region ls_lanes_next(struct ls_lanes *x, const char *text, uint64_t at, uint64_t size,
                                     uint32_t mask)
{
    const char *operand[LS_OPERANDS];
    unsigned n = ls_operands(text, operand);
    if (n > 1 && ls_text_starts(text, "v_mbcnt_lo") &&
        !is_word(operand[1], "-1")) /* all lanes, active or not */
        x->counts++;
    if (writes_exec(text, operand, n)) {
        x->region = begin(x, text, operand, n, at, mask);
        x->epoch++;
        forget_all(x);
    } else if (ends_all(text)) {
        forget_all(x);
        if (x->region.start && !x->region.behind && ls_text_starts(text, "s_cbranch_execz"))
            x->region.behind = at + size;
        else
            x->region = (struct ls_lanes_region){0};
    } else if (!follow(x, text, operand, n, at) && !follow_fewer(x, text, operand, n)) {
        for (unsigned i = 0; i < 2 && i < n; i++)
            forget_written(x, operand[i]);
    }
    return x->region;
}
