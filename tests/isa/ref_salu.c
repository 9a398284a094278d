/*
 * ref_salu.c - reference of the scalar ALU (SOP1, SOP2, SOPK, SOPC) and its cases. SCC follows the
 * pseudo-code of each instruction in the CDNA3/CDNA4 ISA documents.
 */
#include <stdlib.h>
#include <string.h>
#include "harness.h"
#include "ref_num.h"
#include "values.h"

struct salu {
    uint64_t s[2]; /* sources */
    uint64_t d;    /* destination before and after */
    uint64_t exec; /* before and after */
    uint32_t scc;  /* before and after */
    int32_t k;     /* SOPK immediate, sign-extended */
};
typedef void (*salu_fn)(struct salu *x);

enum salu_enc { SOP1, SOP2, SOPK, SOPC };
struct salu_op {
    const char *name;
    uint8_t enc, dst, src[2];
    salu_fn fn;
};

#define A32 ((uint32_t)x->s[0])
#define B32 ((uint32_t)x->s[1])
#define IA ((int32_t)x->s[0])
#define IB ((int32_t)x->s[1])
#define A64 (x->s[0])
#define B64 (x->s[1])
#define K (x->k)
#define KU ((uint32_t)(uint16_t)x->k)
#define D32(v) (x->d = (uint32_t)(v))
#define D64(v) (x->d = (uint64_t)(v))
/* Result with SCC = (result != 0). */
#define NZ32(v) (x->d = (uint32_t)(v), x->scc = (uint32_t)x->d != 0)
#define NZ64(v) (x->d = (uint64_t)(v), x->scc = x->d != 0)

static void carry_add(struct salu *x, uint64_t sum)
{
    x->scc = sum >> 32 != 0;
    D32(sum);
}
static void overflow(struct salu *x, int64_t exact)
{
    x->scc = exact != (int32_t)exact;
    D32(exact);
}
static void borrow_sub(struct salu *x, uint32_t borrow)
{
    int64_t r = (int64_t)A32 - (int64_t)B32 - borrow;
    x->scc = r < 0;
    D32(r);
}
static void pick32(struct salu *x, bool first)
{
    x->scc = first;
    D32(first ? A32 : B32);
}
static uint64_t reverse(uint64_t v, int n)
{
    uint64_t r = 0;
    for (int i = 0; i < n; i++)
        r |= (v >> i & 1) << (n - 1 - i);
    return r;
}
static int count(uint64_t v, int n, unsigned what)
{
    int c = 0;
    for (int i = 0; i < n; i++)
        c += (v >> i & 1) == what;
    return c;
}
static int find_low(uint64_t v, int n, unsigned what)
{
    for (int i = 0; i < n; i++)
        if ((v >> i & 1) == what)
            return i;
    return -1;
}
static int find_high(uint64_t v, int n)
{
    for (int i = 0; i < n; i++)
        if (v >> (n - 1 - i) & 1)
            return i;
    return -1;
}
static int sign_run(uint64_t v, int n)
{
    for (int i = 1; i < n; i++)
        if ((v >> (n - 1 - i) & 1) != (v >> (n - 1) & 1))
            return i;
    return -1;
}
static uint64_t whole_quad(uint64_t v, int n)
{
    uint64_t r = 0;
    for (int i = 0; i < n; i++)
        if (v >> (i & ~3) & 15)
            r |= 1ull << i;
    return r;
}
static uint64_t quad_mask(uint64_t v, int n)
{
    uint64_t r = 0;
    for (int i = 0; i < n / 4; i++)
        if (v >> (4 * i) & 15)
            r |= 1ull << i;
    return r;
}
static uint64_t replicate(uint32_t v)
{
    uint64_t r = 0;
    for (int i = 0; i < 32; i++)
        if (v >> i & 1)
            r |= 3ull << (2 * i);
    return r;
}
static uint64_t field_u(uint64_t v, unsigned offset, unsigned width, unsigned bits)
{
    v >>= offset;
    return width >= bits ? v : v & ((1ull << width) - 1);
}
static int64_t field_s(int64_t v, unsigned offset, unsigned width, unsigned bits)
{
    v >>= offset;
    return width == 0 ? 0 : width >= bits ? v : sext((uint64_t)v, (int)width);
}
static void save_exec(struct salu *x, uint64_t new_exec)
{
    x->d = x->exec;
    x->exec = new_exec;
    x->scc = new_exec != 0;
}
static void write_exec(struct salu *x, uint64_t new_exec)
{
    x->exec = x->d = new_exec;
    x->scc = new_exec != 0;
}

#define OPS(X)                                                                                               \
    X(s_mov_b32, SOP1, T_B32, T_B32, 0, D32(A32))                                                            \
    X(s_mov_b64, SOP1, T_B64, T_B64, 0, D64(A64))                                                            \
    X(s_cmov_b32, SOP1, T_B32, T_B32, 0, if (x->scc) D32(A32))                                               \
    X(s_cmov_b64, SOP1, T_B64, T_B64, 0, if (x->scc) D64(A64))                                               \
    X(s_not_b32, SOP1, T_B32, T_B32, 0, NZ32(~A32))                                                          \
    X(s_not_b64, SOP1, T_B64, T_B64, 0, NZ64(~A64))                                                          \
    X(s_wqm_b32, SOP1, T_B32, T_B32, 0, NZ32(whole_quad(A32, 32)))                                           \
    X(s_wqm_b64, SOP1, T_B64, T_B64, 0, NZ64(whole_quad(A64, 64)))                                           \
    X(s_brev_b32, SOP1, T_B32, T_B32, 0, D32(reverse(A32, 32)))                                              \
    X(s_brev_b64, SOP1, T_B64, T_B64, 0, D64(reverse(A64, 64)))                                              \
    X(s_bcnt0_i32_b32, SOP1, T_B32, T_B32, 0, NZ32(count(A32, 32, 0)))                                       \
    X(s_bcnt0_i32_b64, SOP1, T_B32, T_B64, 0, NZ32(count(A64, 64, 0)))                                       \
    X(s_bcnt1_i32_b32, SOP1, T_B32, T_B32, 0, NZ32(count(A32, 32, 1)))                                       \
    X(s_bcnt1_i32_b64, SOP1, T_B32, T_B64, 0, NZ32(count(A64, 64, 1)))                                       \
    X(s_ff0_i32_b32, SOP1, T_B32, T_B32, 0, D32(find_low(A32, 32, 0)))                                       \
    X(s_ff0_i32_b64, SOP1, T_B32, T_B64, 0, D32(find_low(A64, 64, 0)))                                       \
    X(s_ff1_i32_b32, SOP1, T_B32, T_B32, 0, D32(find_low(A32, 32, 1)))                                       \
    X(s_ff1_i32_b64, SOP1, T_B32, T_B64, 0, D32(find_low(A64, 64, 1)))                                       \
    X(s_flbit_i32_b32, SOP1, T_B32, T_B32, 0, D32(find_high(A32, 32)))                                       \
    X(s_flbit_i32_b64, SOP1, T_B32, T_B64, 0, D32(find_high(A64, 64)))                                       \
    X(s_flbit_i32, SOP1, T_B32, T_B32, 0, D32(sign_run(A32, 32)))                                            \
    X(s_flbit_i32_i64, SOP1, T_B32, T_B64, 0, D32(sign_run(A64, 64)))                                        \
    X(s_sext_i32_i8, SOP1, T_B32, T_B32, 0, D32(sext(A32, 8)))                                               \
    X(s_sext_i32_i16, SOP1, T_B32, T_B32, 0, D32(sext(A32, 16)))                                             \
    X(s_bitset0_b32, SOP1, T_B32, T_B32, 0, D32(x->d & ~(1u << (A32 & 31))))                                 \
    X(s_bitset0_b64, SOP1, T_B64, T_B32, 0, D64(x->d & ~(1ull << (A32 & 63))))                               \
    X(s_bitset1_b32, SOP1, T_B32, T_B32, 0, D32(x->d | 1u << (A32 & 31)))                                    \
    X(s_bitset1_b64, SOP1, T_B64, T_B32, 0, D64(x->d | 1ull << (A32 & 63)))                                  \
    X(s_and_saveexec_b64, SOP1, T_B64, T_B64, 0, save_exec(x, A64 & x->exec))                                \
    X(s_or_saveexec_b64, SOP1, T_B64, T_B64, 0, save_exec(x, A64 | x->exec))                                 \
    X(s_xor_saveexec_b64, SOP1, T_B64, T_B64, 0, save_exec(x, A64 ^ x->exec))                                \
    X(s_andn2_saveexec_b64, SOP1, T_B64, T_B64, 0, save_exec(x, A64 & ~x->exec))                             \
    X(s_orn2_saveexec_b64, SOP1, T_B64, T_B64, 0, save_exec(x, A64 | ~x->exec))                              \
    X(s_nand_saveexec_b64, SOP1, T_B64, T_B64, 0, save_exec(x, ~(A64 & x->exec)))                            \
    X(s_nor_saveexec_b64, SOP1, T_B64, T_B64, 0, save_exec(x, ~(A64 | x->exec)))                             \
    X(s_xnor_saveexec_b64, SOP1, T_B64, T_B64, 0, save_exec(x, ~(A64 ^ x->exec)))                            \
    X(s_andn1_saveexec_b64, SOP1, T_B64, T_B64, 0, save_exec(x, ~A64 & x->exec))                             \
    X(s_orn1_saveexec_b64, SOP1, T_B64, T_B64, 0, save_exec(x, ~A64 | x->exec))                              \
    X(s_andn1_wrexec_b64, SOP1, T_B64, T_B64, 0, write_exec(x, ~A64 & x->exec))                              \
    X(s_andn2_wrexec_b64, SOP1, T_B64, T_B64, 0, write_exec(x, A64 & ~x->exec))                              \
    X(s_quadmask_b32, SOP1, T_B32, T_B32, 0, NZ32(quad_mask(A32, 32)))                                       \
    X(s_quadmask_b64, SOP1, T_B64, T_B64, 0, NZ64(quad_mask(A64, 64)))                                       \
    X(s_abs_i32, SOP1, T_B32, T_B32, 0, NZ32(IA < 0 ? 0u - A32 : A32))                                       \
    X(s_bitreplicate_b64_b32, SOP1, T_B64, T_B32, 0, D64(replicate(A32)))                                    \
    X(s_add_u32, SOP2, T_B32, T_B32, T_B32, carry_add(x, (uint64_t)A32 + B32))                               \
    X(s_sub_u32, SOP2, T_B32, T_B32, T_B32, borrow_sub(x, 0))                                                \
    X(s_add_i32, SOP2, T_B32, T_B32, T_B32, overflow(x, (int64_t)IA + IB))                                   \
    X(s_sub_i32, SOP2, T_B32, T_B32, T_B32, overflow(x, (int64_t)IA - IB))                                   \
    X(s_addc_u32, SOP2, T_B32, T_B32, T_B32, carry_add(x, (uint64_t)A32 + B32 + x->scc))                     \
    X(s_subb_u32, SOP2, T_B32, T_B32, T_B32, borrow_sub(x, x->scc))                                          \
    X(s_min_i32, SOP2, T_B32, T_B32, T_B32, pick32(x, IA < IB))                                              \
    X(s_min_u32, SOP2, T_B32, T_B32, T_B32, pick32(x, A32 < B32))                                            \
    X(s_max_i32, SOP2, T_B32, T_B32, T_B32, pick32(x, IA >= IB))                                             \
    X(s_max_u32, SOP2, T_B32, T_B32, T_B32, pick32(x, A32 >= B32))                                           \
    X(s_cselect_b32, SOP2, T_B32, T_B32, T_B32, D32(x->scc ? A32 : B32))                                     \
    X(s_cselect_b64, SOP2, T_B64, T_B64, T_B64, D64(x->scc ? A64 : B64))                                     \
    X(s_and_b32, SOP2, T_B32, T_B32, T_B32, NZ32(A32 &B32))                                                  \
    X(s_and_b64, SOP2, T_B64, T_B64, T_B64, NZ64(A64 &B64))                                                  \
    X(s_or_b32, SOP2, T_B32, T_B32, T_B32, NZ32(A32 | B32))                                                  \
    X(s_or_b64, SOP2, T_B64, T_B64, T_B64, NZ64(A64 | B64))                                                  \
    X(s_xor_b32, SOP2, T_B32, T_B32, T_B32, NZ32(A32 ^ B32))                                                 \
    X(s_xor_b64, SOP2, T_B64, T_B64, T_B64, NZ64(A64 ^ B64))                                                 \
    X(s_andn2_b32, SOP2, T_B32, T_B32, T_B32, NZ32(A32 & ~B32))                                              \
    X(s_andn2_b64, SOP2, T_B64, T_B64, T_B64, NZ64(A64 & ~B64))                                              \
    X(s_orn2_b32, SOP2, T_B32, T_B32, T_B32, NZ32(A32 | ~B32))                                               \
    X(s_orn2_b64, SOP2, T_B64, T_B64, T_B64, NZ64(A64 | ~B64))                                               \
    X(s_nand_b32, SOP2, T_B32, T_B32, T_B32, NZ32(~(A32 & B32)))                                             \
    X(s_nand_b64, SOP2, T_B64, T_B64, T_B64, NZ64(~(A64 & B64)))                                             \
    X(s_nor_b32, SOP2, T_B32, T_B32, T_B32, NZ32(~(A32 | B32)))                                              \
    X(s_nor_b64, SOP2, T_B64, T_B64, T_B64, NZ64(~(A64 | B64)))                                              \
    X(s_xnor_b32, SOP2, T_B32, T_B32, T_B32, NZ32(~(A32 ^ B32)))                                             \
    X(s_xnor_b64, SOP2, T_B64, T_B64, T_B64, NZ64(~(A64 ^ B64)))                                             \
    X(s_lshl_b32, SOP2, T_B32, T_B32, T_B32, NZ32(A32 << (B32 & 31)))                                        \
    X(s_lshl_b64, SOP2, T_B64, T_B64, T_B32, NZ64(A64 << (B32 & 63)))                                        \
    X(s_lshr_b32, SOP2, T_B32, T_B32, T_B32, NZ32(A32 >> (B32 & 31)))                                        \
    X(s_lshr_b64, SOP2, T_B64, T_B64, T_B32, NZ64(A64 >> (B32 & 63)))                                        \
    X(s_ashr_i32, SOP2, T_B32, T_B32, T_B32, NZ32(IA >> (B32 & 31)))                                         \
    X(s_ashr_i64, SOP2, T_B64, T_B64, T_B32, NZ64((int64_t)A64 >> (B32 & 63)))                               \
    X(s_bfm_b32, SOP2, T_B32, T_B32, T_B32, D32(((1u << (A32 & 31)) - 1) << (B32 & 31)))                     \
    X(s_bfm_b64, SOP2, T_B64, T_B32, T_B32, D64(((1ull << (A32 & 63)) - 1) << (B32 & 63)))                   \
    X(s_mul_i32, SOP2, T_B32, T_B32, T_B32, D32(A32 *B32))                                                   \
    X(s_bfe_u32, SOP2, T_B32, T_B32, T_B32, NZ32(field_u(A32, B32 & 31, B32 >> 16 & 127, 32)))               \
    X(s_bfe_i32, SOP2, T_B32, T_B32, T_B32, NZ32(field_s(IA, B32 & 31, B32 >> 16 & 127, 32)))                \
    X(s_bfe_u64, SOP2, T_B64, T_B64, T_B32, NZ64(field_u(A64, B32 & 63, B32 >> 16 & 127, 64)))               \
    X(s_bfe_i64, SOP2, T_B64, T_B64, T_B32, NZ64(field_s((int64_t)A64, B32 & 63, B32 >> 16 & 127, 64)))      \
    X(s_absdiff_i32, SOP2, T_B32, T_B32, T_B32, int32_t r = (int32_t)(A32 - B32);                            \
      NZ32(r < 0 ? 0u - (uint32_t)r : (uint32_t)r))                                                          \
    X(s_mul_hi_u32, SOP2, T_B32, T_B32, T_B32, D32(((uint64_t)A32 * B32) >> 32))                             \
    X(s_mul_hi_i32, SOP2, T_B32, T_B32, T_B32, D32(((int64_t)IA * IB) >> 32))                                \
    X(s_lshl1_add_u32, SOP2, T_B32, T_B32, T_B32, carry_add(x, ((uint64_t)A32 << 1) + B32))                  \
    X(s_lshl2_add_u32, SOP2, T_B32, T_B32, T_B32, carry_add(x, ((uint64_t)A32 << 2) + B32))                  \
    X(s_lshl3_add_u32, SOP2, T_B32, T_B32, T_B32, carry_add(x, ((uint64_t)A32 << 3) + B32))                  \
    X(s_lshl4_add_u32, SOP2, T_B32, T_B32, T_B32, carry_add(x, ((uint64_t)A32 << 4) + B32))                  \
    X(s_pack_ll_b32_b16, SOP2, T_B32, T_B32, T_B32, D32((A32 & 0xffff) | B32 << 16))                         \
    X(s_pack_lh_b32_b16, SOP2, T_B32, T_B32, T_B32, D32((A32 & 0xffff) | (B32 & 0xffff0000)))                \
    X(s_pack_hh_b32_b16, SOP2, T_B32, T_B32, T_B32, D32(A32 >> 16 | (B32 & 0xffff0000)))                     \
    X(s_movk_i32, SOPK, T_B32, 0, 0, D32(K))                                                                 \
    X(s_cmovk_i32, SOPK, T_B32, 0, 0, if (x->scc) D32(K))                                                    \
    X(s_cmpk_eq_i32, SOPK, T_B32, 0, 0, x->scc = (int32_t)x->d == K)                                         \
    X(s_cmpk_lg_i32, SOPK, T_B32, 0, 0, x->scc = (int32_t)x->d != K)                                         \
    X(s_cmpk_gt_i32, SOPK, T_B32, 0, 0, x->scc = (int32_t)x->d > K)                                          \
    X(s_cmpk_ge_i32, SOPK, T_B32, 0, 0, x->scc = (int32_t)x->d >= K)                                         \
    X(s_cmpk_lt_i32, SOPK, T_B32, 0, 0, x->scc = (int32_t)x->d < K)                                          \
    X(s_cmpk_le_i32, SOPK, T_B32, 0, 0, x->scc = (int32_t)x->d <= K)                                         \
    X(s_cmpk_eq_u32, SOPK, T_B32, 0, 0, x->scc = (uint32_t)x->d == KU)                                       \
    X(s_cmpk_lg_u32, SOPK, T_B32, 0, 0, x->scc = (uint32_t)x->d != KU)                                       \
    X(s_cmpk_gt_u32, SOPK, T_B32, 0, 0, x->scc = (uint32_t)x->d > KU)                                        \
    X(s_cmpk_ge_u32, SOPK, T_B32, 0, 0, x->scc = (uint32_t)x->d >= KU)                                       \
    X(s_cmpk_lt_u32, SOPK, T_B32, 0, 0, x->scc = (uint32_t)x->d < KU)                                        \
    X(s_cmpk_le_u32, SOPK, T_B32, 0, 0, x->scc = (uint32_t)x->d <= KU)                                       \
    X(s_addk_i32, SOPK, T_B32, 0, 0, overflow(x, (int64_t)(int32_t)x->d + K))                                \
    X(s_mulk_i32, SOPK, T_B32, 0, 0, D32((uint32_t)x->d *(uint32_t)K))                                       \
    X(s_cmp_eq_i32, SOPC, 0, T_B32, T_B32, x->scc = IA == IB)                                                \
    X(s_cmp_lg_i32, SOPC, 0, T_B32, T_B32, x->scc = IA != IB)                                                \
    X(s_cmp_gt_i32, SOPC, 0, T_B32, T_B32, x->scc = IA > IB)                                                 \
    X(s_cmp_ge_i32, SOPC, 0, T_B32, T_B32, x->scc = IA >= IB)                                                \
    X(s_cmp_lt_i32, SOPC, 0, T_B32, T_B32, x->scc = IA < IB)                                                 \
    X(s_cmp_le_i32, SOPC, 0, T_B32, T_B32, x->scc = IA <= IB)                                                \
    X(s_cmp_eq_u32, SOPC, 0, T_B32, T_B32, x->scc = A32 == B32)                                              \
    X(s_cmp_lg_u32, SOPC, 0, T_B32, T_B32, x->scc = A32 != B32)                                              \
    X(s_cmp_gt_u32, SOPC, 0, T_B32, T_B32, x->scc = A32 > B32)                                               \
    X(s_cmp_ge_u32, SOPC, 0, T_B32, T_B32, x->scc = A32 >= B32)                                              \
    X(s_cmp_lt_u32, SOPC, 0, T_B32, T_B32, x->scc = A32 < B32)                                               \
    X(s_cmp_le_u32, SOPC, 0, T_B32, T_B32, x->scc = A32 <= B32)                                              \
    X(s_bitcmp0_b32, SOPC, 0, T_B32, T_B32, x->scc = !(A32 >> (B32 & 31) & 1))                               \
    X(s_bitcmp1_b32, SOPC, 0, T_B32, T_B32, x->scc = A32 >> (B32 & 31) & 1)                                  \
    X(s_bitcmp0_b64, SOPC, 0, T_B64, T_B32, x->scc = !(A64 >> (B32 & 63) & 1))                               \
    X(s_bitcmp1_b64, SOPC, 0, T_B64, T_B32, x->scc = A64 >> (B32 & 63) & 1)                                  \
    X(s_cmp_eq_u64, SOPC, 0, T_B64, T_B64, x->scc = A64 == B64)                                              \
    X(s_cmp_lg_u64, SOPC, 0, T_B64, T_B64, x->scc = A64 != B64)

#define DEFINE(name, enc, dst, a, b, ...)                                                                    \
    static void fn_##name(struct salu *x)                                                                    \
    {                                                                                                        \
        __VA_ARGS__;                                                                                         \
    }
#define ROW(name, enc, dst, a, b, ...) {#name, enc, dst, {a, b}, fn_##name},
OPS(DEFINE)
static const struct salu_op table[] = {OPS(ROW)};

/* ---- Cases. ---- */

enum { R_SCC = 253, R_VCCZ = 251, R_EXECZ = 252, R_LITERAL = 255 };
struct scase {
    const struct salu_op *op;
    uint8_t src[2]; /* scalar source encoding */
    uint8_t dst;
    uint32_t literal;
    int16_t k;
};

static uint64_t read_source(const struct scase *c, const struct sg_wave_image *w, unsigned i)
{
    unsigned e = c->src[i];
    enum value_type t = c->op->src[i];
    if (e == R_LITERAL)
        return c->literal; /* zero-extended for 64-bit sources */
    if (e == R_SCC)
        return w->scc;
    if (e == R_VCCZ)
        return img_s64(w, 106) == 0;
    if (e == R_EXECZ)
        return img_s64(w, 126) == 0;
    if (e >= 128)
        return value_inline(e, t);
    return type_dwords(t) > 1 ? img_s64(w, e) : w->s[e];
}

static void run_reference(const struct tcase *tc, struct expect *e)
{
    const struct scase *c = tc->data;
    struct sg_wave_image *w = e->w;
    struct salu x = {.exec = img_s64(w, 126), .scc = w->scc, .k = c->k};
    bool wide = c->op->dst == T_B64;
    for (unsigned i = 0; i < 2; i++)
        if (c->op->src[i] != T_NONE)
            x.s[i] = read_source(c, w, i);
    if (c->op->dst != T_NONE)
        x.d = wide ? img_s64(w, c->dst) : w->s[c->dst];
    c->op->fn(&x);
    img_set_s64(w, 126, x.exec);
    w->scc = x.scc;
    if (c->op->dst == T_NONE)
        return;
    w->s[c->dst] = (uint32_t)x.d;
    if (wide)
        w->s[c->dst + 1] = (uint32_t)(x.d >> 32);
}

static void fill(const struct tcase *tc, struct rng *r, struct sg_wave_image *w, uint8_t *mem)
{
    const struct scase *c = tc->data;
    (void)mem;
    for (unsigned i = 0; i < 2; i++)
        if (c->op->src[i] != T_NONE && c->src[i] < 126) {
            uint64_t v = value_random(r, c->op->src[i]);
            if (i == 1 && c->op->src[0] != T_NONE && c->src[0] < 126 && rng_below(r, 3) == 0)
                v = img_s64(w, c->src[0]); /* equal operands */
            w->s[c->src[i]] = (uint32_t)v;
            if (type_dwords(c->op->src[i]) > 1)
                w->s[c->src[i] + 1] = (uint32_t)(v >> 32);
        }
    if (c->op->enc == SOPK && c->dst < 126 && rng_below(r, 2))
        w->s[c->dst] = rng_below(r, 2) ? (uint32_t)c->k : (uint16_t)c->k;
    if (rng_below(r, 8) == 0)
        img_set_s64(w, 106, 0);
}

static void print_register(struct tcase *tc, unsigned e, bool wide)
{
    if (e == 106)
        text_add(tc, wide ? "vcc" : "vcc_lo");
    else if (e == 107)
        text_add(tc, "vcc_hi");
    else if (e == 124)
        text_add(tc, "m0");
    else if (e == 126)
        text_add(tc, wide ? "exec" : "exec_lo");
    else if (e == 127)
        text_add(tc, "exec_hi");
    else if (wide)
        text_add(tc, "s[%u:%u]", e, e + 1);
    else
        text_add(tc, "s%u", e);
}
static void print_source(struct tcase *tc, const struct scase *c, unsigned i)
{
    unsigned e = c->src[i];
    if (e == R_LITERAL)
        text_add(tc, "0x%x", c->literal);
    else if (e == R_SCC)
        text_add(tc, "src_scc");
    else if (e == R_VCCZ)
        text_add(tc, "src_vccz");
    else if (e == R_EXECZ)
        text_add(tc, "src_execz");
    else if (e >= 128)
        text_add(tc, "%s", value_inline_text(e));
    else
        print_register(tc, e, type_dwords(c->op->src[i]) > 1);
}

static uint8_t pick_source(struct rng *r, enum value_type t, unsigned kind)
{
    bool wide = type_dwords(t) > 1;
    static const uint8_t special32[] = {106, 107, 124, 126, 127, R_SCC, R_VCCZ, R_EXECZ};
    static const uint8_t special64[] = {106, 126};
    switch (kind) {
    case 1:
        return (uint8_t)(128 + rng_below(r, 81));
    case 2:
        return (uint8_t)(240 + rng_below(r, 9));
    case 3:
        return R_LITERAL;
    case 4:
        return wide ? special64[rng_below(r, 2)] : special32[rng_below(r, 8)];
    default:
        return (uint8_t)(rng_below(r, 100) & (wide ? ~1u : ~0u));
    }
}
static uint8_t pick_dst(struct rng *r, bool wide)
{
    static const uint8_t special32[] = {106, 107, 124, 126, 127};
    static const uint8_t special64[] = {106, 126};
    if (rng_below(r, 5) == 0)
        return wide ? special64[rng_below(r, 2)] : special32[rng_below(r, 5)];
    return (uint8_t)(rng_below(r, 100) & (wide ? ~1u : ~0u));
}

static void make_case(struct suite *s, struct rng *r, const struct salu_op *op, unsigned kind0,
                      unsigned kind1)
{
    struct tcase *tc = suite_add(s, op->name, sizeof(struct scase));
    struct scase *c = tc->data;
    c->op = op;
    c->k = (int16_t)(rng_below(r, 2) ? rng64(r) : value_random(r, T_B16));
    c->literal = (uint32_t)rng64(r) | 0x10000;
    bool wide = op->dst == T_B64, exec_op = strstr(op->name, "exec") != NULL;
    do
        c->dst = pick_dst(r, wide);
    while (exec_op && c->dst == 126);
    if (op->src[0] != T_NONE)
        c->src[0] = pick_source(r, op->src[0], kind0);
    if (op->src[1] != T_NONE)
        c->src[1] = pick_source(r, op->src[1], kind1);
    if (rng_below(r, 4) == 0 && op->dst && op->src[0] && c->src[0] < 100 && op->dst == op->src[0])
        c->dst = c->src[0];
    tc->fill = fill;
    tc->ref = run_reference;
    tc->rounds = 8;
    text_add(tc, "%s ", op->name);
    if (op->dst != T_NONE)
        print_register(tc, c->dst, wide);
    for (unsigned i = 0; i < 2; i++)
        if (op->src[i] != T_NONE) {
            text_add(tc, "%s", i || op->dst ? ", " : "");
            print_source(tc, c, i);
        }
    if (op->enc == SOPK)
        text_add(tc, ", 0x%x", (uint16_t)c->k);
}

void gen_salu(struct suite *s)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!suite_wants(s, table[i].name))
            continue;
        struct rng r = {1000 + i};
        unsigned n0 = table[i].src[0] ? 5 : 6, n1 = table[i].src[1] ? 5 : 1;
        for (unsigned a = 0; a < n0; a++)
            for (unsigned b = 0; b < n1; b++)
                if (!(a == 3 && b == 3)) /* one literal per instruction */
                    make_case(s, &r, &table[i], a, b);
        make_case(s, &r, &table[i], 0, 0);
        make_case(s, &r, &table[i], 0, 0);
    }
}
