/*
 * ref_valu_int.c - reference of the integer and bit operations of the vector ALU (CDNA3 and CDNA4 ISA
 * documents, sections VOP1, VOP2, VOP3 instructions).
 */
#include "ref_valu.h"
#include <stdlib.h>

static uint32_t sat_u32(struct ref_lane *l, int64_t v)
{
    return (uint32_t)(l->clamp ? clamp_int(v, 0, UINT32_MAX) : v);
}
static uint32_t sat_i32(struct ref_lane *l, int64_t v)
{
    return (uint32_t)(l->clamp ? clamp_int(v, INT32_MIN, INT32_MAX) : v);
}
static uint16_t sat_u16(struct ref_lane *l, int64_t v)
{
    return (uint16_t)(l->clamp ? clamp_int(v, 0, UINT16_MAX) : v);
}
static uint16_t sat_i16(struct ref_lane *l, int64_t v)
{
    return (uint16_t)(l->clamp ? clamp_int(v, INT16_MIN, INT16_MAX) : v);
}
static void add_with_carry(struct ref_lane *l, uint32_t a, uint32_t b, bool carry)
{
    uint64_t sum = (uint64_t)a + b + carry;
    l->cout = sum >> 32;
    l->d = sat_u32(l, (int64_t)sum);
}
static void sub_with_borrow(struct ref_lane *l, uint32_t a, uint32_t b, bool borrow)
{
    int64_t difference = (int64_t)a - (int64_t)b - borrow;
    l->cout = difference < 0;
    l->d = sat_u32(l, difference);
}
static uint32_t reverse_bits(uint32_t v)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}
/* The table of "Vega" ISA, V_SCREEN_PARTITION_4SE_B32, one digit per value of the operand's low byte. */
static uint32_t screen_partition(uint32_t v)
{
    static const char table[] = "137f5fff7ffffffff26efafffbffffffdf4cff5fffdfffff9bf8fffafffeffff"
                                "ffff4cdf6fffeffffffff89bf99ffdffffff7f13ff9fffbfffff6ef26ff6fff7"
                                "bfffffff23bfaffff7fffffff19df5ffffefffffef8cffaffffdffff67f4fff5"
                                "9fffdfffffff8ceff66ffefffffff467ff6fff7fffffbf239ff9fffbffff9df1";
    char digit = table[v & 255];
    return (uint32_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}
static uint32_t first_from_top(uint32_t v)
{
    for (int i = 0; i < 32; i++)
        if (v >> (31 - i) & 1)
            return (uint32_t)i;
    return UINT32_MAX;
}
static uint32_t first_from_bottom(uint32_t v)
{
    for (int i = 0; i < 32; i++)
        if (v >> i & 1)
            return (uint32_t)i;
    return UINT32_MAX;
}
static uint32_t first_unlike_sign(uint32_t v)
{
    for (int i = 1; i < 32; i++)
        if ((v >> (31 - i) & 1) != v >> 31)
            return (uint32_t)i;
    return UINT32_MAX;
}
static uint32_t count_ones(uint32_t v)
{
    uint32_t n = 0;
    for (; v; v >>= 1)
        n += v & 1;
    return n;
}
static uint32_t byte_of(uint64_t v, int i)
{
    return (uint32_t)(v >> (8 * i)) & 0xff;
}
static uint32_t sum_abs_diff(uint64_t a, uint64_t b, uint32_t acc, bool masked)
{
    for (int i = 0; i < 4; i++) {
        uint32_t x = byte_of(a, i), y = byte_of(b, i);
        if (!(masked && y == 0))
            acc += x > y ? x - y : y - x;
    }
    return acc;
}
static uint32_t permute_byte(uint64_t data, uint32_t sel)
{
    if (sel >= 13)
        return 0xff;
    if (sel == 12)
        return 0;
    if (sel >= 8)
        return byte_of(data, (int)(sel - 8) * 2 + 1) & 0x80 ? 0xff : 0;
    return byte_of(data, (int)sel);
}
static int64_t med_i(int64_t a, int64_t b, int64_t c)
{
    int64_t hi = a > b ? a : b, lo = a > b ? b : a;
    return c >= hi ? hi : c <= lo ? lo : c;
}
static void perm(struct ref_lane *l)
{
    uint64_t data = (uint64_t)U0 << 32 | U1;
    for (int i = 0; i < 4; i++)
        l->d |= (uint64_t)permute_byte(data, byte_of(U2, i)) << (8 * i);
}
static void lerp(struct ref_lane *l)
{
    for (int i = 0; i < 4; i++)
        l->d |= (uint64_t)((byte_of(U0, i) + byte_of(U1, i) + (byte_of(U2, i) & 1)) >> 1) << (8 * i);
}
static void qsad(struct ref_lane *l, bool masked)
{
    for (int i = 0; i < 4; i++)
        l->d |= (uint64_t)(uint16_t)sum_abs_diff(Q0 >> (8 * i), U1, (Q2 >> (16 * i)) & 0xffff, masked)
                << (16 * i);
}
static void mqsad_u32(struct ref_lane *l)
{
    uint64_t a = Q0;
    l->d = sum_abs_diff(a, U1, (uint32_t)Q2, true);
    l->d |= (uint64_t)sum_abs_diff(a >> 8, U1, (uint32_t)(Q2 >> 32), true) << 32;
    l->d_hi = sum_abs_diff(a >> 16, U1, (uint32_t)l->x[0], true);
    l->d_hi |= (uint64_t)sum_abs_diff(a >> 24, U1, (uint32_t)(l->x[0] >> 32), true) << 32;
}
static void mad_u64_u32(struct ref_lane *l)
{
    unsigned __int128 r = (unsigned __int128)((uint64_t)U0 * U1) + Q2;
    l->d = (uint64_t)r;
    l->cout = (uint64_t)(r >> 64) & 1;
}
static void mad_i64_i32(struct ref_lane *l)
{
    __int128 r = (__int128)((int64_t)I0 * I1) + (int64_t)Q2;
    l->d = (uint64_t)r;
    l->cout = (uint64_t)(r >> 64) & 1; /* bit 64 of the 65-bit result */
}
static uint32_t sat8(int32_t v, int lo, int hi)
{
    return (uint32_t)clamp_int(v, lo, hi) & 0xff;
}
static void bfe_i32(struct ref_lane *l)
{
    uint32_t width = U2 & 31;
    int64_t field = (int64_t)I0 >> (U1 & 31);
    l->d = width ? (uint32_t)sext((uint64_t)field, (int)width) : 0;
}
static uint32_t dot_i(uint32_t a, uint32_t b, int bits, bool is_signed, struct ref_lane *l)
{
    int64_t sum = is_signed ? I2 : (int64_t)U2;
    for (int i = 0; i < 32; i += bits) {
        uint64_t x = a >> i, y = b >> i, mask = (1u << bits) - 1;
        sum += is_signed ? sext(x, bits) * sext(y, bits) : (int64_t)((x & mask) * (y & mask));
    }
    return is_signed ? sat_i32(l, sum) : sat_u32(l, sum);
}

#define I24(u) sext(u, 24)
#define U24(u) ((uint64_t)(u) & 0xffffff)

#define OPS(X)                                                                                               \
    X(v_mov_b32, E_VOP1, T_B32, T_B32, 0, 0, 0, A_ALL, l->d = U0)                                            \
    X(v_mov_b64, E_VOP1, T_B64, T_B64, 0, 0, 0, A_942 | A_950, l->d = Q0)                                    \
    X(v_not_b32, E_VOP1, T_B32, T_B32, 0, 0, 0, A_ALL, l->d = (uint32_t)~U0)                                 \
    X(v_bfrev_b32, E_VOP1, T_B32, T_B32, 0, 0, 0, A_ALL, l->d = reverse_bits(U0))                            \
    X(v_screen_partition_4se_b32, E_VOP1, T_B32, T_B32, 0, 0, 0, A_ALL, l->d = screen_partition(U0))         \
    X(v_ffbh_u32, E_VOP1, T_B32, T_B32, 0, 0, 0, A_ALL, l->d = first_from_top(U0))                           \
    X(v_ffbl_b32, E_VOP1, T_B32, T_B32, 0, 0, 0, A_ALL, l->d = first_from_bottom(U0))                        \
    X(v_ffbh_i32, E_VOP1, T_B32, T_B32, 0, 0, 0, A_ALL, l->d = first_unlike_sign(U0))                        \
    X(v_sat_pk_u8_i16, E_VOP1, T_B16, T_B32, 0, 0, F_HALF, A_ALL,                                            \
      l->d = sat8((int16_t)U0, 0, 255) | sat8((int16_t)(U0 >> 16), 0, 255) << 8)                             \
    X(v_prng_b32, E_VOP1, T_B32, T_B32, 0, 0, 0, A_950, l->d = (U0 << 1) ^ (U0 >> 31 ? 197 : 0))             \
    X(v_cndmask_b32, E_VOP2, T_B32, T_B32, T_B32, 0, F_CI, A_ALL, l->d = l->cin ? U1 : U0)                   \
    X(v_mul_i32_i24, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = (uint32_t)(I24(U0) * I24(U1)))         \
    X(v_mul_hi_i32_i24, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL,                                            \
      l->d = (uint32_t)((I24(U0) * I24(U1)) >> 32))                                                          \
    X(v_mul_u32_u24, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = (uint32_t)(U24(U0) * U24(U1)))         \
    X(v_mul_hi_u32_u24, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL,                                            \
      l->d = (uint32_t)((U24(U0) * U24(U1)) >> 32))                                                          \
    X(v_min_i32, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = I0 < I1 ? U0 : U1)                         \
    X(v_max_i32, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = I0 > I1 ? U0 : U1)                         \
    X(v_min_u32, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = U0 < U1 ? U0 : U1)                         \
    X(v_max_u32, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = U0 > U1 ? U0 : U1)                         \
    X(v_lshrrev_b32, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = U1 >> (U0 & 31))                       \
    X(v_ashrrev_i32, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = (uint32_t)(I1 >> (U0 & 31)))           \
    X(v_lshlrev_b32, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = U1 << (U0 & 31))                       \
    X(v_and_b32, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = U0 & U1)                                   \
    X(v_or_b32, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = U0 | U1)                                    \
    X(v_xor_b32, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = U0 ^ U1)                                   \
    X(v_xnor_b32, E_VOP2, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = (uint32_t)~(U0 ^ U1))                     \
    X(v_add_co_u32, E_VOP2, T_B32, T_B32, T_B32, 0, F_CO | F_ICLAMP, A_ALL, add_with_carry(l, U0, U1, 0))    \
    X(v_sub_co_u32, E_VOP2, T_B32, T_B32, T_B32, 0, F_CO | F_ICLAMP, A_ALL, sub_with_borrow(l, U0, U1, 0))   \
    X(v_subrev_co_u32, E_VOP2, T_B32, T_B32, T_B32, 0, F_CO | F_ICLAMP, A_ALL,                               \
      sub_with_borrow(l, U1, U0, 0))                                                                         \
    X(v_addc_co_u32, E_VOP2, T_B32, T_B32, T_B32, 0, F_CO | F_CI | F_ICLAMP, A_ALL,                          \
      add_with_carry(l, U0, U1, l->cin))                                                                     \
    X(v_subb_co_u32, E_VOP2, T_B32, T_B32, T_B32, 0, F_CO | F_CI | F_ICLAMP, A_ALL,                          \
      sub_with_borrow(l, U0, U1, l->cin))                                                                    \
    X(v_subbrev_co_u32, E_VOP2, T_B32, T_B32, T_B32, 0, F_CO | F_CI | F_ICLAMP, A_ALL,                       \
      sub_with_borrow(l, U1, U0, l->cin))                                                                    \
    X(v_add_u32, E_VOP2, T_B32, T_B32, T_B32, 0, F_ICLAMP, A_ALL, l->d = sat_u32(l, (int64_t)U0 + U1))       \
    X(v_sub_u32, E_VOP2, T_B32, T_B32, T_B32, 0, F_ICLAMP, A_ALL, l->d = sat_u32(l, (int64_t)U0 - U1))       \
    X(v_subrev_u32, E_VOP2, T_B32, T_B32, T_B32, 0, F_ICLAMP, A_ALL, l->d = sat_u32(l, (int64_t)U1 - U0))    \
    X(v_add_u16, E_VOP2, T_B16, T_B16, T_B16, 0, F_ICLAMP, A_ALL, l->d = sat_u16(l, H0 + H1))                \
    X(v_sub_u16, E_VOP2, T_B16, T_B16, T_B16, 0, F_ICLAMP, A_ALL, l->d = sat_u16(l, H0 - H1))                \
    X(v_subrev_u16, E_VOP2, T_B16, T_B16, T_B16, 0, F_ICLAMP, A_ALL, l->d = sat_u16(l, H1 - H0))             \
    X(v_mul_lo_u16, E_VOP2, T_B16, T_B16, T_B16, 0, 0, A_ALL, l->d = (uint16_t)((uint32_t)H0 * H1))          \
    X(v_lshlrev_b16, E_VOP2, T_B16, T_B16, T_B16, 0, 0, A_ALL, l->d = (uint16_t)(H1 << (H0 & 15)))           \
    X(v_lshrrev_b16, E_VOP2, T_B16, T_B16, T_B16, 0, 0, A_ALL, l->d = (uint16_t)(H1 >> (H0 & 15)))           \
    X(v_ashrrev_i16, E_VOP2, T_B16, T_B16, T_B16, 0, 0, A_ALL, l->d = (uint16_t)((int16_t)H1 >> (H0 & 15)))  \
    X(v_max_u16, E_VOP2, T_B16, T_B16, T_B16, 0, 0, A_ALL, l->d = H0 > H1 ? H0 : H1)                         \
    X(v_min_u16, E_VOP2, T_B16, T_B16, T_B16, 0, 0, A_ALL, l->d = H0 < H1 ? H0 : H1)                         \
    X(v_max_i16, E_VOP2, T_B16, T_B16, T_B16, 0, 0, A_ALL, l->d = (int16_t)H0 > (int16_t)H1 ? H0 : H1)       \
    X(v_min_i16, E_VOP2, T_B16, T_B16, T_B16, 0, 0, A_ALL, l->d = (int16_t)H0 < (int16_t)H1 ? H0 : H1)       \
    X(v_dot2c_i32_i16, E_VOP2, T_B32, T_B32, T_B32, 0, F_ACC, A_ALL, l->d = dot_i(U0, U1, 16, true, l))      \
    X(v_dot4c_i32_i8, E_VOP2, T_B32, T_B32, T_B32, 0, F_ACC, A_ALL, l->d = dot_i(U0, U1, 8, true, l))        \
    X(v_dot8c_i32_i4, E_VOP2, T_B32, T_B32, T_B32, 0, F_ACC, A_ALL, l->d = dot_i(U0, U1, 4, true, l))        \
    X(v_mad_i32_i24, E_VOP3, T_B32, T_B32, T_B32, T_B32, F_ICLAMP, A_ALL,                                    \
      l->d = sat_i32(l, I24(U0) * I24(U1) + I2))                                                             \
    X(v_mad_u32_u24, E_VOP3, T_B32, T_B32, T_B32, T_B32, F_ICLAMP, A_ALL,                                    \
      l->d = sat_u32(l, (int64_t)(U24(U0) * U24(U1) + U2)))                                                  \
    X(v_bfe_u32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL,                                               \
      l->d = (U0 >> (U1 & 31)) & ((1u << (U2 & 31)) - 1))                                                    \
    X(v_bfe_i32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, bfe_i32(l))                                   \
    X(v_bfi_b32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, l->d = (U0 & U1) | (~U0 & U2))                \
    X(v_lerp_u8, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, lerp(l))                                      \
    X(v_alignbit_b32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL,                                          \
      l->d = (uint32_t)(((uint64_t)U0 << 32 | U1) >> (U2 & 31)))                                             \
    X(v_alignbyte_b32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL,                                         \
      l->d = (uint32_t)(((uint64_t)U0 << 32 | U1) >> ((U2 & 3) * 8)))                                        \
    X(v_min3_i32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, int32_t m = I0 < I1 ? I0 : I1;               \
      l->d = (uint32_t)(m < I2 ? m : I2))                                                                    \
    X(v_min3_u32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, uint32_t m = U0 < U1 ? U0 : U1;              \
      l->d = m < U2 ? m : U2)                                                                                \
    X(v_max3_i32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, int32_t m = I0 > I1 ? I0 : I1;               \
      l->d = (uint32_t)(m > I2 ? m : I2))                                                                    \
    X(v_max3_u32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, uint32_t m = U0 > U1 ? U0 : U1;              \
      l->d = m > U2 ? m : U2)                                                                                \
    X(v_med3_i32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, l->d = (uint32_t)med_i(I0, I1, I2))          \
    X(v_med3_u32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, l->d = (uint32_t)med_i(U0, U1, U2))          \
    X(v_sad_u8, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, l->d = sum_abs_diff(U0, U1, U2, false))        \
    X(v_sad_hi_u8, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL,                                             \
      l->d = (uint32_t)((sum_abs_diff(U0, U1, 0, false) << 16) + U2))                                        \
    X(v_sad_u16, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL,                                               \
      l->d = (uint32_t)(U2 + (uint32_t)abs((int)(U0 & 0xffff) - (int)(U1 & 0xffff)) +                        \
                        (uint32_t)abs((int)(U0 >> 16) - (int)(U1 >> 16))))                                   \
    X(v_sad_u32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL,                                               \
      l->d = (uint32_t)((U0 > U1 ? U0 - U1 : U1 - U0) + U2))                                                 \
    X(v_msad_u8, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, l->d = sum_abs_diff(U0, U1, U2, true))        \
    X(v_qsad_pk_u16_u8, E_VOP3, T_B64, T_B64, T_B32, T_B64, 0, A_ALL, qsad(l, false))                        \
    X(v_mqsad_pk_u16_u8, E_VOP3, T_B64, T_B64, T_B32, T_B64, 0, A_ALL, qsad(l, true))                        \
    X(v_mqsad_u32_u8, E_VOP3, T_B128, T_B64, T_B32, T_B128, 0, A_ALL, mqsad_u32(l))                          \
    X(v_mad_u64_u32, E_VOP3, T_B64, T_B32, T_B32, T_B64, F_CO, A_ALL, mad_u64_u32(l))                        \
    X(v_mad_i64_i32, E_VOP3, T_B64, T_B32, T_B32, T_B64, F_CO, A_ALL, mad_i64_i32(l))                        \
    X(v_mad_legacy_u16, E_VOP3, T_B16, T_B16, T_B16, T_B16, F_ICLAMP, A_ALL,                                 \
      l->d = sat_u16(l, (int64_t)H0 * H1 + H2))                                                              \
    X(v_mad_legacy_i16, E_VOP3, T_B16, T_B16, T_B16, T_B16, F_ICLAMP, A_ALL,                                 \
      l->d = sat_i16(l, (int16_t)H0 * (int16_t)H1 + (int16_t)H2))                                            \
    X(v_mad_u16, E_VOP3, T_B16, T_B16, T_B16, T_B16, F_ICLAMP | F_OPSEL3 | F_KEEP, A_ALL,                    \
      l->d = sat_u16(l, (int64_t)H0 * H1 + H2))                                                              \
    X(v_mad_i16, E_VOP3, T_B16, T_B16, T_B16, T_B16, F_ICLAMP | F_OPSEL3 | F_KEEP, A_ALL,                    \
      l->d = sat_i16(l, (int16_t)H0 * (int16_t)H1 + (int16_t)H2))                                            \
    X(v_perm_b32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, perm(l))                                     \
    X(v_mad_u32_u16, E_VOP3, T_B32, T_B16, T_B16, T_B32, F_ICLAMP | F_OPSEL3, A_ALL,                         \
      l->d = sat_u32(l, (int64_t)H0 * H1 + U2))                                                              \
    X(v_mad_i32_i16, E_VOP3, T_B32, T_B16, T_B16, T_B32, F_ICLAMP | F_OPSEL3, A_ALL,                         \
      l->d = sat_i32(l, (int64_t)(int16_t)H0 * (int16_t)H1 + I2))                                            \
    X(v_xad_u32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, l->d = (uint32_t)((U0 ^ U1) + U2))            \
    X(v_min3_i16, E_VOP3, T_B16, T_B16, T_B16, T_B16, F_OPSEL3 | F_HALF, A_ALL,                              \
      int16_t m = (int16_t)H0 < (int16_t)H1 ? (int16_t)H0 : (int16_t)H1;                                     \
      l->d = (uint16_t)(m < (int16_t)H2 ? m : (int16_t)H2))                                                  \
    X(v_min3_u16, E_VOP3, T_B16, T_B16, T_B16, T_B16, F_OPSEL3 | F_HALF, A_ALL,                              \
      uint16_t m = H0 < H1 ? H0 : H1;                                                                        \
      l->d = m < H2 ? m : H2)                                                                                \
    X(v_max3_i16, E_VOP3, T_B16, T_B16, T_B16, T_B16, F_OPSEL3 | F_HALF, A_ALL,                              \
      int16_t m = (int16_t)H0 > (int16_t)H1 ? (int16_t)H0 : (int16_t)H1;                                     \
      l->d = (uint16_t)(m > (int16_t)H2 ? m : (int16_t)H2))                                                  \
    X(v_max3_u16, E_VOP3, T_B16, T_B16, T_B16, T_B16, F_OPSEL3 | F_HALF, A_ALL,                              \
      uint16_t m = H0 > H1 ? H0 : H1;                                                                        \
      l->d = m > H2 ? m : H2)                                                                                \
    X(v_med3_i16, E_VOP3, T_B16, T_B16, T_B16, T_B16, F_OPSEL3 | F_HALF, A_ALL,                              \
      l->d = (uint16_t)med_i((int16_t)H0, (int16_t)H1, (int16_t)H2))                                         \
    X(v_med3_u16, E_VOP3, T_B16, T_B16, T_B16, T_B16, F_OPSEL3 | F_HALF, A_ALL,                              \
      l->d = (uint16_t)med_i(H0, H1, H2))                                                                    \
    X(v_lshl_add_u32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL,                                          \
      l->d = (uint32_t)((U0 << (U1 & 31)) + U2))                                                             \
    X(v_add_lshl_u32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL,                                          \
      l->d = (uint32_t)((U0 + U1) << (U2 & 31)))                                                             \
    X(v_add3_u32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, l->d = (uint32_t)(U0 + U1 + U2))             \
    X(v_lshl_or_b32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, l->d = (U0 << (U1 & 31)) | U2)            \
    X(v_and_or_b32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, l->d = (U0 & U1) | U2)                     \
    X(v_xor3_b32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_1030, l->d = U0 ^ U1 ^ U2)                        \
    X(v_or3_b32, E_VOP3, T_B32, T_B32, T_B32, T_B32, 0, A_ALL, l->d = U0 | U1 | U2)                          \
    X(v_lshl_add_u64, E_VOP3, T_B64, T_B64, T_B32, T_B64, 0, A_942 | A_950, l->d = (Q0 << (U1 & 7)) + Q2)    \
    X(v_ashr_pk_i8_i32, E_VOP3, T_B16, T_B32, T_B32, T_B32, F_HALF, A_950,                                   \
      l->d = sat8(I0 >> (U2 & 31), -128, 127) | sat8(I1 >> (U2 & 31), -128, 127) << 8)                       \
    X(v_ashr_pk_u8_i32, E_VOP3, T_B16, T_B32, T_B32, T_B32, F_HALF, A_950,                                   \
      l->d = sat8(I0 >> (U2 & 31), 0, 255) | sat8(I1 >> (U2 & 31), 0, 255) << 8)                             \
    X(v_mul_lo_u32, E_VOP3, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = (uint32_t)(U0 * U1))                    \
    X(v_mul_hi_u32, E_VOP3, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = ((uint64_t)U0 * U1) >> 32)              \
    X(v_mul_hi_i32, E_VOP3, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = (uint32_t)(((int64_t)I0 * I1) >> 32))   \
    X(v_bcnt_u32_b32, E_VOP3, T_B32, T_B32, T_B32, 0, 0, A_ALL, l->d = (uint32_t)(count_ones(U0) + U1))      \
    X(v_lshlrev_b64, E_VOP3, T_B64, T_B32, T_B64, 0, 0, A_ALL, l->d = Q1 << (U0 & 63))                       \
    X(v_lshrrev_b64, E_VOP3, T_B64, T_B32, T_B64, 0, 0, A_ALL, l->d = Q1 >> (U0 & 63))                       \
    X(v_ashrrev_i64, E_VOP3, T_B64, T_B32, T_B64, 0, 0, A_ALL, l->d = (uint64_t)((int64_t)Q1 >> (U0 & 63)))  \
    X(v_bfm_b32, E_VOP3, T_B32, T_B32, T_B32, 0, 0, A_ALL,                                                   \
      l->d = (uint32_t)(((1u << (U0 & 31)) - 1) << (U1 & 31)))                                               \
    X(v_cvt_pk_u16_u32, E_VOP3, T_B32, T_B32, T_B32, 0, 0, A_ALL,                                            \
      l->d = (uint32_t)clamp_int(U0, 0, 65535) | (uint32_t)clamp_int(U1, 0, 65535) << 16)                    \
    X(v_cvt_pk_i16_i32, E_VOP3, T_B32, T_B32, T_B32, 0, 0, A_ALL,                                            \
      l->d = (uint16_t)clamp_int(I0, -32768, 32767) | (uint32_t)(uint16_t)clamp_int(I1, -32768, 32767)       \
                                                          << 16)                                             \
    X(v_add_i32, E_VOP3, T_B32, T_B32, T_B32, 0, F_ICLAMP, A_ALL, l->d = sat_i32(l, (int64_t)I0 + I1))       \
    X(v_sub_i32, E_VOP3, T_B32, T_B32, T_B32, 0, F_ICLAMP, A_ALL, l->d = sat_i32(l, (int64_t)I0 - I1))       \
    X(v_add_i16, E_VOP3, T_B16, T_B16, T_B16, 0, F_ICLAMP | F_OPSEL3 | F_HALF, A_ALL,                        \
      l->d = sat_i16(l, (int16_t)H0 + (int16_t)H1))                                                          \
    X(v_sub_i16, E_VOP3, T_B16, T_B16, T_B16, 0, F_ICLAMP | F_OPSEL3 | F_HALF, A_ALL,                        \
      l->d = sat_i16(l, (int16_t)H0 - (int16_t)H1))                                                          \
    X(v_dot2_i32_i16, E_VOP3P, T_B32, T_PK16, T_PK16, T_B32, F_ICLAMP | F_NOCONST, A_ALL,                    \
      l->d = dot_i(U0, U1, 16, true, l))                                                                     \
    X(v_dot2_u32_u16, E_VOP3P, T_B32, T_PK16, T_PK16, T_B32, F_ICLAMP | F_NOCONST, A_ALL,                    \
      l->d = dot_i(U0, U1, 16, false, l))                                                                    \
    X(v_dot4_i32_i8, E_VOP3P, T_B32, T_B32, T_B32, T_B32, F_ICLAMP | F_NOOPSEL, A_ALL,                       \
      l->d = dot_i(U0, U1, 8, true, l))                                                                      \
    X(v_dot4_u32_u8, E_VOP3P, T_B32, T_B32, T_B32, T_B32, F_ICLAMP | F_NOOPSEL, A_ALL,                       \
      l->d = dot_i(U0, U1, 8, false, l))                                                                     \
    X(v_dot8_i32_i4, E_VOP3P, T_B32, T_B32, T_B32, T_B32, F_ICLAMP | F_NOOPSEL, A_ALL,                       \
      l->d = dot_i(U0, U1, 4, true, l))                                                                      \
    X(v_dot8_u32_u4, E_VOP3P, T_B32, T_B32, T_B32, T_B32, F_ICLAMP | F_NOOPSEL, A_ALL,                       \
      l->d = dot_i(U0, U1, 4, false, l))

OPS(REF_DEFINE)
static const struct ref_op table[] = {OPS(REF_ROW)};
const struct ref_list ref_int_ops = {table, sizeof table / sizeof *table};
