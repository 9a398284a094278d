/*
 * test_decoded.c - the two readers of machine code agree: what the decoder says of a memory instruction is
 * what its text, in LLVM's syntax, says. Instructions are random words of all memory encodings, for all GPUs
 * that are decoded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "join/machine/text/op_text.h"
#include "gcn/gcn.h"
#include "join/machine/isa.h"

/* Encodings of DS, FLAT, SCRATCH, GLOBAL, MUBUF, MTBUF, SMEM: "AMD Instinct MI300 ISA", "Microcode Formats". */
static const uint32_t bases_gfx9[] = {0xd8000000, 0xdc000000, 0xdc004000, 0xdc008000,
                                      0xe0000000, 0xe8000000, 0xc0000000};
/* The same of gfx10: "AMD RDNA 2 Instruction Set Architecture", "Microcode Formats". */
static const uint32_t bases_gfx10[] = {0xd8000000, 0xdc000000, 0xdc004000, 0xdc008000,
                                       0xe0000000, 0xe8000000, 0xf4000000};
/* The same of gfx11: "RDNA3 Instruction Set Architecture", "Microcode Formats". */
static const uint32_t bases_gfx11[] = {0xd8000000, 0xdc000000, 0xdc010000, 0xdc020000,
                                       0xe0000000, 0xe8000000, 0xf4000000};
enum { TRIES = 200000, SEEN = 300 }; /* operations that access memory: 380 on gfx90a */

static bool is_rdna(struct gcn_target t)
{
    return t.gpu->family->encoding >= 10;
}

static bool is_gfx11(struct gcn_target t)
{
    return t.gpu->family->encoding >= 11;
}

static bool is_equal(const struct ls_isa_form *a, const struct ls_isa_form *b)
{
    if (a->class != b->class || a->class == LS_ISA_NONE)
        return a->class == b->class;
    /* A scalar atomic's text has no width, and its offset stands apart only beside a register: neither is
     * asked. */
    bool scalar = a->class == LS_ISA_SCALAR;
    return a->pair == b->pair && a->store == b->store && a->atomic == b->atomic && a->flat == b->flat &&
           (a->swaps == b->swaps || scalar) && (a->bytes == b->bytes || (scalar && a->atomic)) &&
           a->at == b->at && a->delta == b->delta;
}

/* Knuth's linear congruential generator (MMIX). */
static void random_words(uint64_t *state, uint32_t words[2])
{
    for (unsigned k = 0; k < 2; k++) {
        *state = *state * 6364136223846793005ull + 1442695040888963407ull;
        words[k] = (uint32_t)(*state >> 32);
    }
}

static void test_forms(void **name)
{
    static bool seen[GCN_OP_COUNT];
    struct gcn_target target;
    unsigned n = 0;
    uint64_t state = 0x2545f4914f6cdd1dull;
    memset(seen, 0, sizeof seen);
    assert_true(gcn_target_find(*name, &target));
    const uint32_t *bases = is_gfx11(target) ? bases_gfx11 : is_rdna(target) ? bases_gfx10 : bases_gfx9;
    const uint32_t flat = is_gfx11(target) ? 0x03fcffff : 0x03ff3fff; /* all but the segment */
    for (unsigned i = 0; i < TRIES; i++) {
        uint32_t words[2];
        struct gcn_inst in;
        char text[256];
        random_words(&state, words);
        words[0] = bases[i % 7] | (words[0] & (i % 7 && i % 7 < 4 ? flat : 0x03ffffff));
        if (!gcn_decode(target, words, 2, 0, &in))
            continue;
        gcn_disassemble(target, words, 2, 0, text, sizeof text);
        if (in.op == GCN_OP_DS_ORDERED_COUNT) /* memory between wavefronts, of graphics */
            continue;
        struct ls_isa_form a = ls_isa_form(text), b = ls_isa_form_decoded(&in);
        if (!is_equal(&a, &b))
            fail_msg("%s: text: class %d bytes %u at %d delta %d; decoded: class %d bytes %u at %d delta %d",
                     text, a.class, a.bytes, a.at, a.delta, b.class, b.bytes, b.at, b.delta);
        n += b.class != LS_ISA_NONE && !seen[in.op];
        seen[in.op] |= b.class != LS_ISA_NONE;
    }
    assert_true(n > SEEN);
}

static bool same_range(struct ls_registers a, struct ls_registers b)
{
    return (a.file < 0 && b.file < 0) || ls_registers_equal(a, b);
}

static bool same_operand(const struct ls_operand *a, const struct ls_operand *b)
{
    return same_range(a->r, b->r) && a->constant == b->constant && (!a->constant || a->value == b->value);
}

static bool same_operands(const struct ls_operand *a, unsigned n, const struct ls_operand *b, unsigned n_b)
{
    for (unsigned i = 0; i < n && n == n_b; i++)
        if (!same_operand(&a[i], &b[i]))
            return false;
    return n == n_b;
}

static bool contains(struct ls_registers a, struct ls_registers b)
{
    return a.file == b.file && a.first <= b.first && b.first + b.n <= a.first + a.n;
}

/* The text says at least what is written: what it does not name it may take for more. */
static bool covers(const struct ls_op *text, const struct ls_op *decoded)
{
    for (unsigned i = 0; i < decoded->n_written; i++) {
        bool found = decoded->written[i].file == LS_FILE_SCALAR && decoded->written[i].first > 101;
        for (unsigned k = 0; k < text->n_written; k++)
            found |= contains(text->written[k], decoded->written[i]);
        if (!found)
            return false;
    }
    return true;
}

/* The name of what differs; NULL: nothing. */
static const char *difference(const struct ls_op *a, const struct ls_op *b)
{
    if (a->code_class != b->code_class)
        return "class";
    if (a->kind != b->kind)
        return "kind";
    if (a->kind && (!same_range(a->to, b->to) || !same_range(a->carry, b->carry) ||
                    !same_operands(a->source, a->n_sources, b->source, b->n_sources)))
        return "what is computed";
    if (a->n_address && !same_operands(a->address, a->n_address, b->address, b->n_address))
        return "address";
    if (a->n_address != b->n_address || (a->n_address && a->buffer_mode != b->buffer_mode))
        return "number of address operands";
    if (a->exec != b->exec || a->mask_dwords != b->mask_dwords)
        return "exec";
    if ((a->exec != LS_EXEC_SAME && a->exec != LS_EXEC_ELSE && a->exec != LS_EXEC_LESS &&
         !same_operand(&a->from, &b->from)) ||
        !same_range(a->saved, b->saved))
        return "operands of exec";
    if (a->flags != b->flags || a->target != b->target || a->clause != b->clause)
        return "flow";
    return covers(a, b) ? NULL : "written";
}

/* Encodings of SOP1, SOP2, SOPC, SOPP, SOPK, VOP1 and VOPC (of a SRC0 that is no SDWA or DPP), VOP2, VOP3, DS,
 * FLAT, GLOBAL, MUBUF, SMEM: the bits that are fixed, and those that are random. */
static const struct encoding {
    uint32_t fixed, random;
} encodings_gfx9[] = {
    {0xbe800000, 0x007fffff}, {0x80000000, 0x3fffffff}, {0xbf000000, 0x007fffff}, {0xbf800000, 0x007fffff},
    {0xb0000000, 0x0fffffff}, {0x7e000000, 0x01ffffff}, {0x7c000000, 0x01ffffff}, {0x00000000, 0x7fffffff},
    {0xd0000000, 0x03ff80ff}, {0xd8000000, 0x03feffff}, {0xdc000000, 0x01fc9fff}, {0xdc008000, 0x01fc1fff},
    {0xe0000000, 0x01fc7fff}, {0xc0000000, 0x03fe7fff},
};

/* The same of gfx10. */
static const struct encoding encodings_gfx10[] = {
    {0xbe800000, 0x007fffff}, {0x80000000, 0x3fffffff}, {0xbf000000, 0x007fffff}, {0xbf800000, 0x007fffff},
    {0xb0000000, 0x0fffffff}, {0x7e000000, 0x01ffffff}, {0x7c000000, 0x01ffffff}, {0x00000000, 0x7fffffff},
    {0xd4000000, 0x03ff80ff}, {0xd8000000, 0x03fcffff}, {0xdc000000, 0x01fc87ff}, {0xdc008000, 0x01fc0fff},
    {0xe0000000, 0x01fc7fff}, {0xf4000000, 0x03fc1fff},
};
/* The same of gfx11, and VOPD. */
static const struct encoding encodings_gfx11[] = {
    {0xbe800000, 0x007fffff}, {0x80000000, 0x3fffffff}, {0xbf000000, 0x007fffff}, {0xbf800000, 0x007fffff},
    {0xb0000000, 0x0fffffff}, {0x7e000000, 0x01ffffff}, {0x7c000000, 0x01ffffff}, {0x00000000, 0x7fffffff},
    {0xd4000000, 0x03ff80ff}, {0xd8000000, 0x03fcffff}, {0xdc000000, 0x01fcefff}, {0xdc020000, 0x01fcffff},
    {0xe0000000, 0x03fc7fff}, {0xf4000000, 0x03fc7fff}, {0xc8000000, 0x03ffffff},
};
enum {
    ENCODINGS = sizeof encodings_gfx9 / sizeof *encodings_gfx9,
    ENCODINGS_GFX11 = sizeof encodings_gfx11 / sizeof *encodings_gfx11
};
_Static_assert(sizeof encodings_gfx10 == sizeof encodings_gfx9 && ENCODINGS_GFX11 == ENCODINGS + 1,
               "the same in the same order");

/* No compiler writes them: registers of the trap handler and those that have another purpose as operands, scalar
 * atomics, what changes how the wavefront goes on. */
static bool is_strange(const char *text)
{
    static const char *const words[] = {"ttmp",
                                        "flat_scratch",
                                        "xnack_mask",
                                        "m0",
                                        "s_atomic",
                                        "s_buffer_atomic",
                                        "s_atc",
                                        "s_rfe",
                                        "movrel",
                                        "fork",
                                        "s_cbranch_join",
                                        "s_dcache",
                                        "buffer_store_lds",
                                        "s_sethalt",
                                        "_swap",
                                        "s_sendmsghalt",
                                        "s_setvskip",
                                        "s_set_gpr_idx",
                                        "s_setpc_b64 exec",
                                        "s_subvector",
                                        "addtid",
                                        "v_interp",
                                        "s_movk_i32 exec"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

/* What else they say, of all instructions: what the join follows, and how control goes on. */
static void test_ops(void **name)
{
    struct gcn_target target;
    uint64_t state = 0x9e3779b97f4a7c15ull;
    unsigned kinds = 0, execs = 0, flags = 0;
    assert_true(gcn_target_find(*name, &target));
    const struct encoding *encodings = is_gfx11(target)  ? encodings_gfx11
                                       : is_rdna(target) ? encodings_gfx10
                                                         : encodings_gfx9;
    for (unsigned i = 0; i < 4 * TRIES; i++) {
        unsigned e = i % (is_gfx11(target) ? ENCODINGS_GFX11 : ENCODINGS);
        uint32_t words[2];
        struct gcn_inst in;
        char text[256];
        random_words(&state, words);
        words[0] = encodings[e].fixed | (words[0] & encodings[e].random);
        words[1] &= e == 8 ? 0x07ffffff : ~0u; /* no modifiers */
        if (e < 5 && i % 3 == 0)               /* often to, and from, EXEC */
            words[0] = (words[0] & ~0x7f00ffu) | 0x7e007e;
        if (!gcn_decode(target, words, 2, 0, &in))
            continue;
        gcn_disassemble(target, words, 2, 0, text, sizeof text);
        /* There a pair is no mask, and the upper half no part of EXEC. */
        if (is_rdna(target) && (strstr(text, "exec_b64") || strstr(text, "exec_hi") ||
                                strstr(text, " exec,") || strstr(text, "null")))
            continue;
        if (is_strange(text) || in.has_sdwa || in.has_dpp) /* LLVM's text names these two encodings */
            continue;
        const struct ls_op a = ls_op_text(text, target.lanes, words[0], 0);
        struct ls_op b = ls_op_decoded(target, &in, 0);
        if (in.format == GCN_FMT_VOPD) /* the text's reader follows none of the two: test_dual.c */
            b.kind = LS_OP_OTHER;
        const char *what = difference(&a, &b);
        if (what)
            fail_msg("%s: %s", text, what);
        kinds |= 1u << b.kind;
        execs |= 1u << b.exec;
        flags |= b.flags;
    }
    /* v_lshl_add_u64 is none of gfx90a ("AMD Instinct MI300 ISA", section "VOP3A") */
    const bool has = strcmp(*name, "gfx90a") && !is_rdna(target);
    assert_int_equal(kinds, ((2u << LS_OP_SHIFT_LEFT_OR) - 1) & ~(has ? 0 : 1u << LS_OP_SHIFT_LEFT_64));
    assert_int_equal(execs, (2u << LS_EXEC_ELSE) - 1);
    assert_int_equal(flags, 2 * LS_OP_OPAQUE - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_ops, "gfx90a"),   cmocka_unit_test_prestate(test_ops, "gfx942"),
        cmocka_unit_test_prestate(test_ops, "gfx950"),   cmocka_unit_test_prestate(test_forms, "gfx90a"),
        cmocka_unit_test_prestate(test_ops, "gfx1030"),  cmocka_unit_test_prestate(test_forms, "gfx1030"),
        cmocka_unit_test_prestate(test_ops, "gfx1100"),  cmocka_unit_test_prestate(test_forms, "gfx1100"),
        cmocka_unit_test_prestate(test_forms, "gfx942"), cmocka_unit_test_prestate(test_forms, "gfx950"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
