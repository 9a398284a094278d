/* Which instructions take their addresses from the same registers with the same contents. Texts are as LLVM's
 * disassembler writes them. */
#include "tests/check.h"
#include <inttypes.h>
#include "join/machine/text/op_text.h"
#include "join/machine/bases.h"

enum { MOST = 8 };

static bool is_input(const struct ls_bases *b, const char *text, unsigned end)
{
    const struct ls_op op = ls_op_text(text, 64, 0, 0);
    return ls_bases_input(b, &op, end);
}

static struct ls_base next_base(struct ls_bases *b, const char *text)
{
    const struct ls_op op = ls_op_text(text, 64, 0, 0);
    return ls_bases_next(b, &op);
}

/* Takes instructions one after the other; "block": one begins. Those of one letter in `want` must get one
 * number, which no other letter and no other case of an access gets; '0': none; '-': no access, and none.
 * With `shift`: one root instead, and what was added to it. */
static void expect(bool kernel, const char *want, const int32_t *shift, const char *const *text)
{
    struct ls_bases *b = calloc(1, sizeof *b);
    uint64_t got[MOST] = {0};
    size_t n = strlen(want);
    assert_non_null(b);
    assert_true(n <= MOST);
    for (uint32_t i = 0, block = 1; i < n && kernel; i++) {
        const struct ls_op op = ls_op_text(text[i], 64, 0, 0);
        if (strcmp(text[i], "block") == 0)
            block++;
        else
            ls_bases_expect(b, &op, block);
    }
    b->expected = kernel;
    for (size_t i = 0; i < n; i++) {
        bool known = want[i] != '0' && want[i] != '-', block = !strcmp(text[i], "block");
        struct ls_base base = {.shift = 0};
        if (block)
            ls_bases_block(b);
        else
            base = next_base(b, text[i]);
        got[i] = shift ? base.root : base.number;
        if ((got[i] != 0) != known)
            fail_msg("%s: %016" PRIx64, text[i], got[i]);
        if (shift && known && base.shift != shift[i])
            fail_msg("%s: %d bytes", text[i], base.shift);
        for (size_t k = 0; known && k < i; k++)
            if (got[k] && (got[k] == got[i]) != (want[k] == want[i]))
                fail_msg("%s and %s: %016" PRIx64 " and %016" PRIx64, text[k], text[i], got[k], got[i]);
    }
    free(b);
}
#define SHIFTS(want, shifts, ...)                                                                            \
    expect(false, want, (const int32_t[]){UNPACK shifts}, (const char *const[]){__VA_ARGS__})
/* The same where these are all instructions of a kernel. */
#define KERNEL(want, shifts, ...)                                                                            \
    expect(true, want, (const int32_t[]){UNPACK shifts}, (const char *const[]){__VA_ARGS__})
#define UNPACK(...) __VA_ARGS__
#define EXPECT(want, ...) expect(false, want, NULL, (const char *const[]){__VA_ARGS__})

static void same_registers(void **state)
{
    (void)state;
    /* the offset is not part of the base; reading and writing alike */
    EXPECT("aaaa", "ds_read_b32 v0, v9", "ds_read2_b32 v[2:3], v9 offset0:4 offset1:5",
           "ds_read_b128 v[4:7], v9 offset:16", "ds_write_b32 v9, v0 offset:8");
    EXPECT("aab", "global_load_dword v0, v1, s[2:3]", "global_store_dword v1, v0, s[2:3] offset:64",
           "global_load_dword v0, v1, s[4:5]");
    EXPECT("aab", "global_load_dword v0, v[4:5], off", "global_load_dwordx2 v[0:1], v[4:5], off offset:8",
           "global_load_dword v0, v[6:7], off");
    EXPECT("aab", "flat_load_dword v0, v[4:5]", "flat_store_dword v[4:5], v0 offset:4",
           "flat_load_dword v0, v[5:6]");
    /* an accumulation and a vector register of one number */
    EXPECT("ab", "ds_read_b32 v0, v9", "ds_read_b32 v0, a9");
}

static void writes_change_the_base(void **state)
{
    (void)state;
    EXPECT("a-b", "ds_read_b32 v0, v9", "v_add_u32_e32 v9, 4, v9", "ds_read_b32 v1, v9");
    /* the result of a load; a load that overwrites its own address was addressed by what was there before */
    EXPECT("aab", "ds_read_b32 v0, v9", "ds_read_b32 v9, v9 offset:4", "ds_read_b32 v1, v9");
    EXPECT("aa-a", "global_load_dword v0, v1, s[2:3]", "global_load_dword v2, v1, s[2:3]",
           "v_add_u32_e32 v0, v0, v2", "global_load_dword v3, v1, s[2:3]");
    /* one of two registers, as a part of a wider result */
    EXPECT("a-b", "global_load_dword v0, v[4:5], off", "v_lshlrev_b64 v[5:6], 2, v[8:9]",
           "global_load_dword v0, v[4:5], off");
    EXPECT("a-b", "global_load_dword v0, v1, s[2:3]", "s_load_dwordx4 s[0:3], s[8:9], 0x0",
           "global_load_dword v0, v1, s[2:3]");
    EXPECT("a-a", "global_load_dword v0, v1, s[2:3]", "s_load_dwordx2 s[0:1], s[8:9], 0x0",
           "global_load_dword v2, v1, s[2:3]");
}

static void some_write_two_operands(void **state)
{
    (void)state;
    EXPECT("a-b", "global_load_dword v0, v1, s[2:3]", "v_add_co_u32_e64 v4, s[2:3], v5, v6",
           "global_load_dword v0, v1, s[2:3]");
    EXPECT("a-b", "global_load_dword v0, v1, s[2:3]", "v_div_scale_f32 v4, s[2:3], v5, v6, v5",
           "global_load_dword v0, v1, s[2:3]");
    EXPECT("a-b", "global_load_dword v0, v1, s[2:3]", "v_mad_u64_u32 v[4:5], s[2:3], v6, v7, v[8:9]",
           "global_load_dword v0, v1, s[2:3]");
    EXPECT("a-b", "ds_read_b32 v0, v9", "v_swap_b32 v1, v9", "ds_read_b32 v0, v9");
    EXPECT("a-b", "ds_read_b32 v0, v9", "v_permlane32_swap_b32_e32 v1, v9", "ds_read_b32 v0, v9");
    EXPECT("a-b", "ds_read_b32 v0, v9", "v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v9, v3",
           "ds_read_b32 v0, v9");
}

static void some_write_nothing(void **state)
{
    (void)state;
    EXPECT("a-----a", "global_load_dword v0, v1, s[2:3]", "s_cmp_eq_u32 s2, 0", "s_cbranch_scc1 4",
           "s_waitcnt vmcnt(0)", "s_nop 0", "s_barrier", "global_load_dword v4, v1, s[2:3]");
    /* first operands of stores are addresses or data */
    EXPECT("abab", "ds_write_b32 v9, v8", "ds_write_b32 v8, v9", "ds_read_b32 v0, v9", "ds_read_b32 v1, v8");
    EXPECT("acaca", "global_load_dword v0, v1, s[2:3]", "global_store_dwordx2 v[4:5], v[0:1], off",
           "global_load_dword v6, v1, s[2:3]", "flat_store_dwordx2 v[4:5], v[0:1]",
           "global_load_dword v7, v1, s[2:3]");
}

static void names_of_those_inside_others(void **state)
{
    (void)state;
    /* a compare and swap with result is no s_cmp; an operand is no mnemonic */
    EXPECT("a-b", "ds_read_b32 v0, v9", "ds_cmpst_rtn_b32 v9, v1, v2, v3", "ds_read_b32 v0, v9");
    EXPECT("a-b", "ds_read_b32 v0, v9", "ds_cmpst_rtn_b64 v[8:9], v1, v[2:3], v[4:5]", "ds_read_b32 v0, v9");
    EXPECT("a-a", "global_load_dword v0, v1, s[2:3]", "s_cmpk_lg_u32 s2, 0x80",
           "global_load_dword v0, v1, s[2:3]");
}

static void copies_have_what_they_copy(void **state)
{
    (void)state;
    EXPECT("-a-ab", "v_mov_b32_e32 v9, v8", "ds_read_b32 v0, v9", "s_nop 0", "ds_read_b32 v1, v8",
           "ds_read_b32 v1, v7");
    EXPECT("-a-b", "v_mov_b32_e32 v9, v8", "ds_read_b32 v0, v9", "v_add_u32_e32 v8, 4, v8",
           "ds_read_b32 v0, v8");
    EXPECT("--a-b", "v_add_u32_e32 v8, 4, v8", "v_mov_b32_e32 v9, v8", "ds_read_b32 v0, v8",
           "v_mov_b32_e32 v9, v7", "ds_read_b32 v0, v9");
    /* copied in some lanes only */
    EXPECT("-a-b", "v_mov_b32_e32 v9, v8", "ds_read_b32 v0, v8", "s_or_b64 exec, exec, s[0:1]",
           "ds_read_b32 v0, v9");
}

/* Registers that lie a constant apart, and how far */
static void constants_are_followed(void **state)
{
    (void)state;
    EXPECT("a-b", "ds_read_b32 v0, v9", "v_add_u32_e32 v8, 4, v9", "ds_read_b32 v1, v8");
    SHIFTS("a-a-a", (0, 0, 4, 0, -12), "ds_read_b32 v0, v9", "v_add_u32_e32 v8, 4, v9", "ds_read_b32 v1, v8",
           "v_add_u32_e32 v8, -16, v8", "ds_read_b32 v1, v8");
    /* of clang 15: v_mov_b32 of a constant, and a multiplication that adds it */
    SHIFTS("----aaa", (0, 0, 0, 0, 0x4f4, 0, 8), "v_mov_b32_e32 v10, 0x4f4",
           "v_mad_i32_i24 v10, v11, 20, v10", "v_mul_i32_i24_e32 v12, 20, v11",
           "v_mad_i32_i24 v2, v11, 20, 8", "ds_read_b32 v0, v10", "ds_read_b32 v0, v12",
           "ds_read_b32 v0, v2");
    SHIFTS("--aa", (0, 0, 0x7e0, -8), "v_sub_u32_e32 v2, 0x7e0, v1", "v_subrev_u32_e32 v3, v1, -8",
           "ds_read_b32 v0, v2", "ds_read_b32 v0, v3");
    SHIFTS("a-a-a", (0, 0, -8, 0, -16), "ds_read_b32 v0, v1", "v_subrev_u32_e32 v3, 8, v1",
           "ds_read_b32 v0, v3", "v_sub_u32_e32 v3, v3, 8", "ds_read_b32 v0, v3");
    SHIFTS("--aa", (0, 0, 4, 0), "v_lshl_add_u32 v5, v6, 2, 4", "v_lshlrev_b32_e32 v6, 2, v6",
           "ds_read_b32 v0, v5", "ds_read_b32 v0, v6");
    /* other products, other numbers of bits, a sum that does not go on beyond the highest number */
    SHIFTS("---abc", (0, 0, 0, 0, 0, 0), "v_mul_i32_i24_e32 v1, 20, v9", "v_mul_u32_u24_e32 v2, 20, v9",
           "v_mul_i32_i24_e32 v3, 24, v9", "ds_read_b32 v0, v1", "ds_read_b32 v0, v2", "ds_read_b32 v0, v3");
    SHIFTS("a-b-c", (0, 0, 0, 0, 0), "ds_read_b32 v0, v9", "v_add_u32_e64 v8, v9, 4 clamp",
           "ds_read_b32 v1, v8", "v_add_u32_sdwa v7, v9, v9 dst_sel:DWORD", "ds_read_b32 v1, v7");
    /* 32 bits of a longer address: nobody knows the carry */
    SHIFTS("a-b", (0, 0, 0), "global_load_dword v0, v1, s[2:3]", "v_add_u32_e32 v4, 16, v1",
           "global_load_dword v0, v4, s[2:3]");
    SHIFTS("a-b", (0, 0, 0), "global_load_dword v0, v[4:5], off", "v_add_u32_e32 v4, 16, v4",
           "global_load_dword v0, v[4:5], off");
}

/* Addresses of 64 bits: the low half with the carry that the high half takes. Of clang 22 for unrolled copies of
 * more than 4 KiB; the offset of an instruction has 12 bits and a sign. */
static void constants_of_64_bits(void **state)
{
    (void)state;
    SHIFTS("a--a", (0, 0, 0, 0x1080), "global_load_dword v6, v[2:3], off",
           "v_add_co_u32_e32 v4, vcc, 0x1080, v2", "v_addc_co_u32_e32 v5, vcc, 0, v3, vcc",
           "global_load_ushort v13, v[4:5], off offset:4");
    /* the constant in a register; the carries of two sums at once; in place */
    SHIFTS("-----a-a", (0, 0, 0, 0, 0, 0x1000, 0, 0x2000), "s_movk_i32 s0, 0x1000",
           "v_add_co_u32_e32 v4, vcc, s0, v2", "v_add_co_u32_e64 v6, s[2:3], 0x2000, v2",
           "v_addc_co_u32_e32 v5, vcc, 0, v3, vcc", "v_addc_co_u32_e64 v7, s[2:3], 0, v3, s[2:3]",
           "global_store_dword v[4:5], v12, off", "s_nop 0", "global_store_dword v[6:7], v12, off");
    SHIFTS("a--a--a", (0, 0, 0, 0x800, 0, 0, 0), "global_load_dword v6, v[2:3], off",
           "v_add_co_u32_e32 v2, vcc, 0x800, v2", "v_addc_co_u32_e32 v3, vcc, 0, v3, vcc",
           "global_load_dword v6, v[2:3], off", "v_add_co_u32_e32 v2, vcc, 0xfffff800, v2",
           "v_addc_co_u32_e32 v3, vcc, -1, v3, vcc", "global_load_dword v6, v[2:3], off");
    /* s_movk_i32 has a sign: 0xf000 is -4096 */
    SHIFTS("a---a", (0, 0, 0, 0, -4096), "global_load_dword v6, v[2:3], off", "s_movk_i32 s0, 0xf000",
           "v_add_co_u32_e32 v4, vcc, s0, v2", "v_addc_co_u32_e32 v5, vcc, -1, v3, vcc",
           "global_load_dword v6, v[4:5], off");
    /* scalar pairs, with a vector offset that stays; RDNA, wavefronts of 32 lanes */
    SHIFTS("a--a", (0, 0, 0, 0x1800), "global_load_dword v0, v1, s[2:3]", "s_add_u32 s4, s2, 0x1800",
           "s_addc_u32 s5, s3, 0", "global_load_dword v0, v1, s[4:5]");
    SHIFTS("a--a", (0, 0, 0, 64), "global_load_dword v6, v[2:3], off", "v_add_co_u32 v4, vcc_lo, 64, v2",
           "v_add_co_ci_u32_e32 v5, vcc_lo, 0, v3, vcc_lo", "global_load_dword v6, v[4:5], off");
    /* gfx942 */
    SHIFTS("a--a-a", (0, 0, 0, 0x1000, 0, 48), "global_load_dword v6, v[2:3], off",
           "s_mov_b64 s[0:1], 0x1000", "v_lshl_add_u64 v[4:5], v[2:3], 0, s[0:1]",
           "global_load_dword v6, v[4:5], off", "v_lshl_add_u64 v[4:5], v[2:3], 0, 48",
           "global_load_dword v6, v[4:5], off");
}

static void sums_of_64_bits_that_are_none(void **state)
{
    (void)state;
    /* no carry; another one's; one that was written since */
    EXPECT("a--b", "global_load_dword v6, v[2:3], off", "v_add_u32_e32 v4, 16, v2",
           "v_addc_co_u32_e32 v5, vcc, 0, v3, vcc", "global_load_dword v6, v[4:5], off");
    SHIFTS("a--b", (0, 0, 0, 0), "global_load_dword v6, v[2:3], off", "v_add_co_u32_e64 v4, s[0:1], 16, v2",
           "v_addc_co_u32_e32 v5, vcc, 0, v3, vcc", "global_load_dword v6, v[4:5], off");
    SHIFTS("a---b", (0, 0, 0, 0, 0), "global_load_dword v6, v[2:3], off", "v_add_co_u32_e32 v4, vcc, 16, v2",
           "v_cmp_eq_u32_e32 vcc, 0, v9", "v_addc_co_u32_e32 v5, vcc, 0, v3, vcc",
           "global_load_dword v6, v[4:5], off");
    SHIFTS("a---b", (0, 0, 0, 0, 0), "global_load_dword v6, v[2:3], off",
           "v_add_co_u32_e64 v4, s[0:1], 16, v2", "s_mov_b64 s[0:1], 0",
           "v_addc_co_u32_e64 v5, s[0:1], 0, v3, s[0:1]", "global_load_dword v6, v[4:5], off");
    SHIFTS("a---b", (0, 0, 0, 0, 0), "global_load_dword v0, v1, s[2:3]", "s_add_u32 s4, s2, 16",
           "s_cmp_eq_u32 s8, 0", "s_addc_u32 s5, s3, 0", "global_load_dword v0, v1, s[4:5]");
    /* the low half written since; the half of something else */
    SHIFTS("a---b", (0, 0, 0, 0, 0), "global_load_dword v6, v[2:3], off", "v_add_co_u32_e32 v4, vcc, 16, v2",
           "v_or_b32_e32 v4, 1, v4", "v_addc_co_u32_e32 v5, vcc, 0, v3, vcc",
           "global_load_dword v6, v[4:5], off");
    SHIFTS("a--b", (0, 0, 0, 16), "global_load_dword v6, v[2:3], off", "v_add_co_u32_e32 v4, vcc, 16, v2",
           "v_addc_co_u32_e32 v5, vcc, 0, v7, vcc", "global_load_dword v6, v[4:5], off");
    /* not a constant; shifted; other lanes between the halves, or behind them; another block */
    SHIFTS("a--b", (0, 0, 0, 0), "global_load_dword v6, v[2:3], off", "v_add_co_u32_e32 v4, vcc, v8, v2",
           "v_addc_co_u32_e32 v5, vcc, 0, v3, vcc", "global_load_dword v6, v[4:5], off");
    SHIFTS("a-b", (0, 0, 0), "global_load_dword v6, v[2:3], off", "v_lshl_add_u64 v[4:5], v[2:3], 2, 16",
           "global_load_dword v6, v[4:5], off");
    SHIFTS("a---b", (0, 0, 0, 0, 0), "global_load_dword v6, v[2:3], off", "v_add_co_u32_e32 v4, vcc, 16, v2",
           "s_or_b64 exec, exec, s[0:1]", "v_addc_co_u32_e32 v5, vcc, 0, v3, vcc",
           "global_load_dword v6, v[4:5], off");
    SHIFTS("a---b", (0, 0, 0, 0, 0), "global_load_dword v6, v[2:3], off", "v_add_co_u32_e32 v4, vcc, 16, v2",
           "v_addc_co_u32_e32 v5, vcc, 0, v3, vcc", "s_or_b64 exec, exec, s[0:1]",
           "global_load_dword v6, v[4:5], off");
    SHIFTS("a---b", (0, 0, 0, 0, 0), "global_load_dword v6, v[2:3], off", "v_add_co_u32_e32 v4, vcc, 16, v2",
           "v_addc_co_u32_e32 v5, vcc, 0, v3, vcc", "block", "global_load_dword v6, v[4:5], off");
    /* more than 32 bits hold */
    SHIFTS("a--b", (0, 0, 0, 0), "global_load_dword v6, v[2:3], off", "v_add_co_u32_e32 v4, vcc, 16, v2",
           "v_addc_co_u32_e32 v5, vcc, 1, v3, vcc", "global_load_dword v6, v[4:5], off");
}

/* What one way to a block has computed, another one has not. */
static void blocks_forget(void **state)
{
    (void)state;
    EXPECT("a--b", "ds_read_b32 v0, v8", "v_mov_b32_e32 v9, v8", "block", "ds_read_b32 v0, v9");
    SHIFTS("a--b", (0, 0, 0, 0), "ds_read_b32 v0, v8", "v_add_u32_e32 v9, 4, v8", "block",
           "ds_read_b32 v0, v9");
    EXPECT("a--b", "global_load_dword v0, v1, s[2:3]", "s_mov_b64 s[4:5], s[2:3]", "block",
           "global_load_dword v0, v1, s[4:5]");
    EXPECT("a-a", "ds_read_b32 v0, v8", "block", "ds_read_b32 v0, v8");
    SHIFTS("a--b", (0, 0, 0, 0), "ds_read_b32 v0, v8", "v_add_u32_e32 v9, 4, v8",
           "s_or_b64 exec, exec, s[0:1]", "ds_read_b32 v0, v9");
}

static void inputs_of_a_kernel(void **state)
{
    (void)state;
    static const char load[] = "s_load_dwordx2 s[0:1], s[4:5], 0x0";
    struct ls_bases *b = calloc(1, sizeof *b);
    assert_non_null(b);
    assert_true(is_input(b, load, 6));
    assert_false(is_input(b, load, 5)); /* s5 is none */
    next_base(b, load);
    assert_false(is_input(b, "s_load_dword s2, s[0:1], 0x0", 6)); /* what was loaded */
    assert_true(is_input(b, load, 6));
    next_base(b, "s_add_u32 s4, s4, 8");
    assert_false(is_input(b, load, 6));
    free(b);
}

static void nothing_is_known_behind(void **state)
{
    (void)state;
    EXPECT("a-b", "ds_read_b32 v0, v9", "s_swappc_b64 s[30:31], s[16:17]", "ds_read_b32 v0, v9");
    EXPECT("a-b", "ds_read_b32 v0, v9", "s_setpc_b64 s[30:31]", "ds_read_b32 v0, v9");
    /* registers by a number that is known at run time only */
    EXPECT("a--b", "ds_read_b32 v0, v9", "s_set_gpr_idx_on s0, gpr_idx(DST)", "v_mov_b32_e32 v2, v1",
           "ds_read_b32 v0, v9");
    EXPECT("a-b", "ds_read_b32 v0, v9", "v_movreld_b32_e32 v2, v1", "ds_read_b32 v0, v9");
}

/* vector offset or index, descriptor, scalar offset: CDNA3 ISA document, section 9.1.5 */
static void buffers(void **state)
{
    (void)state;
    EXPECT("aaa", "buffer_load_dword v0, v1, s[0:3], 0 offen",
           "buffer_load_dword v2, v1, s[0:3], 0 offen offset:4",
           "buffer_store_dword v0, v1, s[0:3], 0 offen offset:8");
    EXPECT("abcd", "buffer_load_dword v0, v1, s[0:3], 0 offen", "buffer_load_dword v2, v1, s[4:7], 0 offen",
           "buffer_load_dword v2, v1, s[0:3], s8 offen", "buffer_load_dword v2, v3, s[0:3], 0 offen");
    /* code generation splits a constant that an instruction's offset has no room for */
    EXPECT("aba", "buffer_load_dword v0, v1, s[0:3], 0 offen offset:4092",
           "buffer_load_dword v2, v1, s[0:3], 4 offen offset:4092",
           "buffer_load_dword v3, v1, s[0:3], 0 offen");
    /* v1 is an offset, and an index of records */
    EXPECT("ab", "buffer_load_dword v0, v1, s[0:3], 0 offen", "buffer_load_dword v2, v1, s[0:3], 0 idxen");
    EXPECT("aab", "buffer_load_dword v0, off, s[0:3], 0", "buffer_load_dword v1, off, s[0:3], 0 offset:16",
           "buffer_load_dword v1, off, s[0:3], s4 offset:16");
    /* writes to the scalar offset and to the descriptor */
    EXPECT("a-b-c", "buffer_load_dword v0, v1, s[0:3], s4 offen", "s_add_i32 s4, s4, 16",
           "buffer_load_dword v0, v1, s[0:3], s4 offen", "s_mov_b32 s2, 0x1000",
           "buffer_load_dword v0, v1, s[0:3], s4 offen");
}

static void not_known(void **state)
{
    (void)state;
    EXPECT("00", "global_load_dword v0, v1, vcc", "global_load_dword v2, v1, vcc");
    EXPECT("00", "buffer_load_dword v0, v1, s[0:3], m0 offen", "buffer_store_dword v0, v1, s[0:3], m0 offen");
    EXPECT("00", "global_atomic_add v1, v2, s[0:1]", "ds_add_u32 v9, v0");
    EXPECT("00", "buffer_load_dword v1, s[0:3], 0 offen lds", "scratch_load_dword v0, off, s33");
    EXPECT("00", "ds_read_addtid_b32 v0 offset:4", "ds_write_addtid_b32 v0 offset:4");
    EXPECT("---", "s_load_dword s0, s[4:5], 0x0", "v_mov_b32_e32 v0, v1", "s_endpgm");
}

/* Addresses that are computed before a loop for what is in it, from a register that stays or one that does not. */
static void computed_once(void **state)
{
    (void)state;
    KERNEL("---aaa", (0, 0, 0, 0, 16, 1088), "v_mul_u32_u24_e32 v12, 0x44, v2", "v_add_u32_e32 v15, 16, v12",
           "v_add_u32_e32 v16, 0x440, v12", "ds_read_b32 v0, v12", "ds_read_b32 v0, v15",
           "ds_read_b32 v0, v16");
    KERNEL("----aaa", (0, 0, 0, 0, 0, 16, 1088), "v_mul_u32_u24_e32 v12, 0x44, v2",
           "v_add_u32_e32 v15, 16, v12", "v_add_u32_e32 v16, 0x440, v12", "block", "ds_read_b32 v0, v12",
           "ds_read_b32 v0, v15", "ds_read_b32 v0, v16");
    KERNEL("----aa", (0, 0, 0, 0, 16, 1088), "v_add_u32_e32 v15, 16, v0", "v_add_u32_e32 v16, 0x440, v0",
           "v_mov_b32_e32 v0, 0", "block", "ds_read_b32 v1, v15", "ds_read_b32 v1, v16");
    /* the same block has used v16 for something else before */
    KERNEL("-----aa", (0, 0, 0, 0, 0, 16, 1088), "v_mov_b32_e32 v16, 0", "v_add_u32_e32 v15, 16, v16",
           "v_add_u32_e32 v15, 16, v0", "v_add_u32_e32 v16, 0x440, v0", "block", "ds_read_b32 v1, v15",
           "ds_read_b32 v1, v16");
    /* v0 was another one when v15 and v16 were computed */
    KERNEL("---ab", (0, 0, 0, 16, 0), "v_add_u32_e32 v15, 16, v0", "v_mov_b32_e32 v0, 0", "block",
           "ds_read_b32 v1, v15", "ds_read_b32 v1, v0");
}

/* What holds before a block need not hold in it: where registers are written again, or have what they began
 * with when they are not; in different blocks, or by different lanes, for one may be older then. */
static void computed_again(void **state)
{
    (void)state;
    KERNEL("---ab-", (0, 0, 0, 16, 0, 0), "v_add_u32_e32 v15, 16, v9", "v_add_u32_e32 v16, 32, v9", "block",
           "ds_read_b32 v0, v15", "ds_read_b32 v0, v16", "v_add_u32_e32 v16, 64, v9");
    KERNEL("----ab", (0, 0, 0, 0, 0, 32), "v_mul_u32_u24_e32 v9, 3, v8", "v_add_u32_e32 v2, 16, v9",
           "v_add_u32_e32 v16, 32, v9", "block", "ds_read_b32 v0, v2", "ds_read_b32 v0, v16");
    KERNEL("-----ab", (0, 0, 0, 0, 0, 16, 32), "v_mul_u32_u24_e32 v9, 3, v8", "v_add_u32_e32 v15, 16, v9",
           "block", "v_add_u32_e32 v16, 32, v9", "block", "ds_read_b32 v0, v15", "ds_read_b32 v0, v16");
    KERNEL("-----ab", (0, 0, 0, 0, 0, 16, 32), "v_mul_u32_u24_e32 v9, 3, v8", "v_add_u32_e32 v15, 16, v9",
           "s_mov_b64 exec, s[2:3]", "v_add_u32_e32 v16, 32, v9", "block", "ds_read_b32 v0, v15",
           "ds_read_b32 v0, v16");
    /* in a function, registers begin with anything */
    SHIFTS("---ab", (0, 0, 0, 0, 0), "v_add_u32_e32 v15, 16, v9", "v_add_u32_e32 v16, 32, v9", "block",
           "ds_read_b32 v0, v15", "ds_read_b32 v0, v16");
}

/* LLVM makes an "or" of a sum of values that have no bit in common: 56 * 63 = 3528 is less than 0x2000, but 56 * 255 = 14280 is not. */
static void an_or_that_is_a_sum(void **state)
{
    (void)state;
    SHIFTS("----aaa", (0, 0, 0, 0, 0x2000, 0x2010, 0), "v_and_b32_e32 v9, 63, v6",
           "v_mul_u32_u24_e32 v10, 56, v9", "v_or_b32_e32 v11, 0x2000, v10",
           "v_mad_u32_u24 v12, v9, 56, 0x2010", "ds_read_b32 v0, v11", "ds_read_b32 v0, v12",
           "ds_read_b32 v0, v10");
    SHIFTS("----abb", (0, 0, 0, 0, 0, 0x2010, 0), "v_and_b32_e32 v9, 0xff, v6",
           "v_mul_u32_u24_e32 v10, 56, v9", "v_or_b32_e32 v11, 0x2000, v10",
           "v_mad_u32_u24 v12, v9, 56, 0x2010", "ds_read_b32 v0, v11", "ds_read_b32 v0, v12",
           "ds_read_b32 v0, v10");
    SHIFTS("---aab", (0, 0, 0, 0, 12, 0), "v_lshlrev_b32_e32 v9, 4, v1", "v_or_b32_e32 v10, 12, v9",
           "v_or_b32_e32 v11, 20, v9", "ds_read_b32 v0, v9", "ds_read_b32 v0, v10", "ds_read_b32 v0, v11");
    SHIFTS("---aab", (0, 0, 0, 0, 8, 0), "v_lshlrev_b32_e32 v9, 4, v1", "v_lshl_or_b32 v10, v1, 4, 8",
           "v_lshl_or_b32 v11, v1, 4, 16", "ds_read_b32 v0, v9", "ds_read_b32 v0, v10",
           "ds_read_b32 v0, v11");
    SHIFTS("---aab", (0, 0, 0, 0, 4, 0), "v_bfe_u32 v9, v1, 10, 2", "v_or_b32_e32 v10, 4, v9",
           "v_or_b32_e32 v11, 2, v9", "ds_read_b32 v0, v9", "ds_read_b32 v0, v10", "ds_read_b32 v0, v11");
    SHIFTS("---aab", (0, 0, 0, 0, 4, 0), "v_and_or_b32 v9, v1, 48, 8", "v_or_b32_e32 v10, 4, v9",
           "v_or_b32_e32 v11, 24, v9", "ds_read_b32 v0, v9", "ds_read_b32 v0, v10", "ds_read_b32 v0, v11");
    SHIFTS("---aab", (0, 0, 0, 0, 16, 0), "v_lshrrev_b32_e32 v9, 28, v1", "v_or_b32_e32 v10, 16, v9",
           "v_or_b32_e32 v11, 8, v9", "ds_read_b32 v0, v9", "ds_read_b32 v0, v10", "ds_read_b32 v0, v11");
    SHIFTS("----aab", (0, 0, 0, 0, 0, 112, 0), "v_and_b32_e32 v8, 15, v1",
           "v_add_u32_e32 v9, 48, v8", /* at most 63 */
           "v_or_b32_e32 v10, 64, v9", "v_or_b32_e32 v11, 32, v9", "ds_read_b32 v0, v8",
           "ds_read_b32 v0, v10", "ds_read_b32 v0, v11");
}

static void bits_that_are_not_known(void **state)
{
    (void)state;
    /* in another block, in other lanes, of another value, of a product or sum that goes over */
    SHIFTS("---ab", (0, 0, 0, 0, 0), "v_and_b32_e32 v9, 56, v6", "block", "v_or_b32_e32 v10, 4, v9",
           "ds_read_b32 v0, v9", "ds_read_b32 v0, v10");
    SHIFTS("---ab", (0, 0, 0, 0, 0), "v_and_b32_e32 v9, 56, v6", "s_mov_b64 exec, s[2:3]",
           "v_or_b32_e32 v10, 4, v9", "ds_read_b32 v0, v9", "ds_read_b32 v0, v10");
    SHIFTS("--a-ab", (0, 0, 0, 0, 0, 0), "v_and_b32_e32 v9, 56, v6", "v_mov_b32_e32 v8, v7",
           "ds_read_b32 v9, v8", "v_or_b32_e32 v10, 4, v9", "ds_read_b32 v0, v8", "ds_read_b32 v0, v10");
    SHIFTS("---ab", (0, 0, 0, 0, 0), "v_and_b32_e32 v8, 0x7fffffff, v1", "v_mul_lo_u32 v9, v8, 3",
           "v_or_b32_e32 v10, 4, v9", "ds_read_b32 v0, v9", "ds_read_b32 v0, v10");
    SHIFTS("---ab", (0, 0, 0, 0, 0), "v_and_b32_e32 v8, 7, v1", "v_add_u32_e32 v9, -4, v8",
           "v_or_b32_e32 v10, 16, v9", "ds_read_b32 v0, v8", "ds_read_b32 v0, v10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computed_once),
        cmocka_unit_test(computed_again),
        cmocka_unit_test(an_or_that_is_a_sum),
        cmocka_unit_test(bits_that_are_not_known),
        cmocka_unit_test(same_registers),
        cmocka_unit_test(writes_change_the_base),
        cmocka_unit_test(some_write_two_operands),
        cmocka_unit_test(some_write_nothing),
        cmocka_unit_test(names_of_those_inside_others),
        cmocka_unit_test(constants_are_followed),
        cmocka_unit_test(constants_of_64_bits),
        cmocka_unit_test(sums_of_64_bits_that_are_none),
        cmocka_unit_test(blocks_forget),
        cmocka_unit_test(inputs_of_a_kernel),
        cmocka_unit_test(copies_have_what_they_copy),
        cmocka_unit_test(nothing_is_known_behind),
        cmocka_unit_test(buffers),
        cmocka_unit_test(not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
