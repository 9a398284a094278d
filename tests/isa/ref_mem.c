/* ref_mem.c - see ref_mem.h. */
#include "ref_mem.h"
#include "ref_num.h"
#include "values.h"

typedef __float128 quad;

#define ATOMIC(name, ty, expr)                                                                               \
    static uint64_t name##_##ty(uint64_t old_, uint64_t data_, uint64_t data2_)                              \
    {                                                                                                        \
        ty m = (ty)old_, d = (ty)data_, e = (ty)data2_;                                                      \
        (void)m, (void)d, (void)e;                                                                           \
        return (uint64_t)(ty)(expr);                                                                         \
    }
#define BOTH_U(name, expr) ATOMIC(name, uint32_t, expr) ATOMIC(name, uint64_t, expr)
#define BOTH_I(name, expr) ATOMIC(name, int32_t, expr) ATOMIC(name, int64_t, expr)
BOTH_U(swap, d)
BOTH_U(add, m + d)
BOTH_U(sub, m - d)
BOTH_U(rsub, d - m)
BOTH_U(inc, m >= d ? 0 : m + 1)
BOTH_U(dec, m == 0 || m > d ? d : m - 1)
BOTH_I(smin, d < m ? d : m)
BOTH_I(smax, d > m ? d : m)
BOTH_U(umin, d < m ? d : m)
BOTH_U(umax, d > m ? d : m)
BOTH_U(and, m &d)
BOTH_U(or, m | d)
BOTH_U(xor, m ^ d)
BOTH_U(mskor, (m & ~d) | e)
BOTH_U(cmp_lds, m == d ? e : m)    /* LDS: data compares, data2 is stored */
BOTH_U(cmp_global, m == e ? d : m) /* global: first data register is stored, second compares */
ATOMIC(wrap, uint32_t, m >= d ? m - d : m + e)

static uint64_t add_f32(uint64_t m, uint64_t d, uint64_t e)
{
    (void)e;
    return bits_of_f32(f32_of(m) + f32_of(d));
}
static uint64_t min_f32(uint64_t m, uint64_t d, uint64_t e)
{
    (void)e;
    return f32_of(d) < f32_of(m) ? d : m;
}
static uint64_t max_f32(uint64_t m, uint64_t d, uint64_t e)
{
    (void)e;
    return f32_of(d) > f32_of(m) ? d : m;
}
static uint64_t cmp_f32(uint64_t m, uint64_t d, uint64_t e)
{
    return f32_of(m) == f32_of(d) ? e : m;
}
static uint64_t add_f64(uint64_t m, uint64_t d, uint64_t e)
{
    (void)e;
    return bits_of_f64(f64_of(m) + f64_of(d));
}
static uint64_t min_f64(uint64_t m, uint64_t d, uint64_t e)
{
    (void)e;
    return f64_of(d) < f64_of(m) ? d : m;
}
static uint64_t max_f64(uint64_t m, uint64_t d, uint64_t e)
{
    (void)e;
    return f64_of(d) > f64_of(m) ? d : m;
}
static uint64_t cmp_f64(uint64_t m, uint64_t d, uint64_t e)
{
    return f64_of(m) == f64_of(d) ? e : m;
}
static uint64_t pk_add_f16(uint64_t m, uint64_t d, uint64_t e)
{
    (void)e;
    return bits_of_f16((quad)f16_of(m) + (quad)f16_of(d)) |
           bits_of_f16((quad)f16_of(m >> 16) + (quad)f16_of(d >> 16)) << 16;
}
static uint64_t pk_add_bf16(uint64_t m, uint64_t d, uint64_t e)
{
    (void)e;
    return bits_of_bf16((quad)bf16_of(m) + (quad)bf16_of(d)) |
           bits_of_bf16((quad)bf16_of(m >> 16) + (quad)bf16_of(d >> 16)) << 16;
}

#define A94 (A_942 | A_950)
#define INT_ATOMICS(X)                                                                                       \
    X("atomic_swap", swap, uint32_t, uint64_t)                                                               \
    X("atomic_add", add, uint32_t, uint64_t)                                                                 \
    X("atomic_sub", sub, uint32_t, uint64_t)                                                                 \
    X("atomic_smin", smin, int32_t, int64_t)                                                                 \
    X("atomic_umin", umin, uint32_t, uint64_t)                                                               \
    X("atomic_smax", smax, int32_t, int64_t)                                                                 \
    X("atomic_umax", umax, uint32_t, uint64_t)                                                               \
    X("atomic_and", and, uint32_t, uint64_t)                                                                 \
    X("atomic_or", or, uint32_t, uint64_t)                                                                   \
    X("atomic_xor", xor, uint32_t, uint64_t)                                                                 \
    X("atomic_inc", inc, uint32_t, uint64_t)                                                                 \
    X("atomic_dec", dec, uint32_t, uint64_t)
#define VMEM_ATOMIC(text, f, t4, t8)                                                                         \
    {text, M_ATOMIC, 4, 0, A_ALL, f##_##t4}, {text "_x2", M_ATOMIC, 8, 0, A_ALL, f##_##t8},

static const struct mem_op vmem[] = {
    {"load_ubyte", M_LOAD, 1, 0, A_ALL, 0},
    {"load_sbyte", M_LOAD, 1, M_SIGNED, A_ALL, 0},
    {"load_ushort", M_LOAD, 2, 0, A_ALL, 0},
    {"load_sshort", M_LOAD, 2, M_SIGNED, A_ALL, 0},
    {"load_dword", M_LOAD, 4, 0, A_ALL, 0},
    {"load_dwordx2", M_LOAD, 8, 0, A_ALL, 0},
    {"load_dwordx3", M_LOAD, 12, 0, A_ALL, 0},
    {"load_dwordx4", M_LOAD, 16, 0, A_ALL, 0},
    {"load_ubyte_d16", M_LOAD, 1, M_D16, A_ALL, 0},
    {"load_ubyte_d16_hi", M_LOAD, 1, M_D16_HI, A_ALL, 0},
    {"load_sbyte_d16", M_LOAD, 1, M_D16 | M_SIGNED, A_ALL, 0},
    {"load_sbyte_d16_hi", M_LOAD, 1, M_D16_HI | M_SIGNED, A_ALL, 0},
    {"load_short_d16", M_LOAD, 2, M_D16, A_ALL, 0},
    {"load_short_d16_hi", M_LOAD, 2, M_D16_HI, A_ALL, 0},
    {"store_byte", M_STORE, 1, 0, A_ALL, 0},
    {"store_byte_d16_hi", M_STORE, 1, M_D16_HI, A_ALL, 0},
    {"store_short", M_STORE, 2, 0, A_ALL, 0},
    {"store_short_d16_hi", M_STORE, 2, M_D16_HI, A_ALL, 0},
    {"store_dword", M_STORE, 4, 0, A_ALL, 0},
    {"store_dwordx2", M_STORE, 8, 0, A_ALL, 0},
    {"store_dwordx3", M_STORE, 12, 0, A_ALL, 0},
    {"store_dwordx4", M_STORE, 16, 0, A_ALL, 0},
    INT_ATOMICS(VMEM_ATOMIC) /* */
    {"atomic_cmpswap", M_ATOMIC, 4, M_CMP, A_ALL, cmp_global_uint32_t},
    {"atomic_cmpswap_x2", M_ATOMIC, 8, M_CMP, A_ALL, cmp_global_uint64_t},
    {"atomic_add_f32", M_ATOMIC, 4, M_FLOAT, A_ALL, add_f32},
    {"atomic_pk_add_f16", M_ATOMIC, 4, M_FLOAT | M_HALVES, A_ALL, pk_add_f16},
    {"atomic_pk_add_bf16", M_ATOMIC, 4, M_FLOAT | M_HALVES, A94, pk_add_bf16},
    {"atomic_add_f64", M_ATOMIC, 8, M_FLOAT, A_ALL, add_f64},
    {"atomic_min_f64", M_ATOMIC, 8, M_FLOAT, A_ALL, min_f64},
    {"atomic_max_f64", M_ATOMIC, 8, M_FLOAT, A_ALL, max_f64},
};
const struct mem_list ref_vmem_ops = {vmem, sizeof vmem / sizeof *vmem};

#define DS_PAIR(f, a, b, t4, t8)                                                                             \
    {"ds_" a, M_ATOMIC, 4, 0, A_ALL, f##_##t4}, {"ds_" b, M_ATOMIC, 8, 0, A_ALL, f##_##t8},
static const struct mem_op ds[] = {
    {"ds_read_u8", M_LOAD, 1, 0, A_ALL, 0},
    {"ds_read_i8", M_LOAD, 1, M_SIGNED, A_ALL, 0},
    {"ds_read_u16", M_LOAD, 2, 0, A_ALL, 0},
    {"ds_read_i16", M_LOAD, 2, M_SIGNED, A_ALL, 0},
    {"ds_read_b32", M_LOAD, 4, 0, A_ALL, 0},
    {"ds_read_b64", M_LOAD, 8, 0, A_ALL, 0},
    {"ds_read_b96", M_LOAD, 12, 0, A_ALL, 0},
    {"ds_read_b128", M_LOAD, 16, 0, A_ALL, 0},
    {"ds_read_u8_d16", M_LOAD, 1, M_D16, A_ALL, 0},
    {"ds_read_u8_d16_hi", M_LOAD, 1, M_D16_HI, A_ALL, 0},
    {"ds_read_i8_d16", M_LOAD, 1, M_D16 | M_SIGNED, A_ALL, 0},
    {"ds_read_i8_d16_hi", M_LOAD, 1, M_D16_HI | M_SIGNED, A_ALL, 0},
    {"ds_read_u16_d16", M_LOAD, 2, M_D16, A_ALL, 0},
    {"ds_read_u16_d16_hi", M_LOAD, 2, M_D16_HI, A_ALL, 0},
    {"ds_write_b8", M_STORE, 1, 0, A_ALL, 0},
    {"ds_write_b8_d16_hi", M_STORE, 1, M_D16_HI, A_ALL, 0},
    {"ds_write_b16", M_STORE, 2, 0, A_ALL, 0},
    {"ds_write_b16_d16_hi", M_STORE, 2, M_D16_HI, A_ALL, 0},
    {"ds_write_b32", M_STORE, 4, 0, A_ALL, 0},
    {"ds_write_b64", M_STORE, 8, 0, A_ALL, 0},
    {"ds_write_b96", M_STORE, 12, 0, A_ALL, 0},
    {"ds_write_b128", M_STORE, 16, 0, A_ALL, 0},
    DS_PAIR(add, "add_u32", "add_u64", uint32_t, uint64_t)    /* */
    DS_PAIR(sub, "sub_u32", "sub_u64", uint32_t, uint64_t)    /* */
    DS_PAIR(rsub, "rsub_u32", "rsub_u64", uint32_t, uint64_t) /* */
    DS_PAIR(inc, "inc_u32", "inc_u64", uint32_t, uint64_t)    /* */
    DS_PAIR(dec, "dec_u32", "dec_u64", uint32_t, uint64_t)    /* */
    DS_PAIR(smin, "min_i32", "min_i64", int32_t, int64_t)     /* */
    DS_PAIR(smax, "max_i32", "max_i64", int32_t, int64_t)     /* */
    DS_PAIR(umin, "min_u32", "min_u64", uint32_t, uint64_t)   /* */
    DS_PAIR(umax, "max_u32", "max_u64", uint32_t, uint64_t)   /* */
    DS_PAIR(and, "and_b32", "and_b64", uint32_t, uint64_t)    /* */
    DS_PAIR(or, "or_b32", "or_b64", uint32_t, uint64_t)       /* */
    DS_PAIR(xor, "xor_b32", "xor_b64", uint32_t, uint64_t)    /* */
    {"ds_mskor_b32", M_ATOMIC, 4, M_CMP, A_ALL, mskor_uint32_t},
    {"ds_mskor_b64", M_ATOMIC, 8, M_CMP, A_ALL, mskor_uint64_t},
    {"ds_cmpst_b32", M_ATOMIC, 4, M_CMP, A_ALL, cmp_lds_uint32_t},
    {"ds_cmpst_b64", M_ATOMIC, 8, M_CMP, A_ALL, cmp_lds_uint64_t},
    {"ds_cmpst_f32", M_ATOMIC, 4, M_CMP | M_FLOAT, A_ALL, cmp_f32},
    {"ds_cmpst_f64", M_ATOMIC, 8, M_CMP | M_FLOAT, A_ALL, cmp_f64},
    {"ds_min_f32", M_ATOMIC, 4, M_FLOAT, A_ALL, min_f32},
    {"ds_max_f32", M_ATOMIC, 4, M_FLOAT, A_ALL, max_f32},
    {"ds_add_f32", M_ATOMIC, 4, M_FLOAT, A_ALL, add_f32},
    {"ds_min_f64", M_ATOMIC, 8, M_FLOAT, A_ALL, min_f64},
    {"ds_max_f64", M_ATOMIC, 8, M_FLOAT, A_ALL, max_f64},
    {"ds_add_f64", M_ATOMIC, 8, M_FLOAT, A_ALL, add_f64},
    {"ds_pk_add_f16", M_ATOMIC, 4, M_FLOAT | M_HALVES, A94, pk_add_f16},
    {"ds_pk_add_bf16", M_ATOMIC, 4, M_FLOAT | M_HALVES, A94, pk_add_bf16},
    /* Only the returning form exists. */
    {"ds_wrxchg_rtn_b32", M_ATOMIC, 4, 0, A_ALL, swap_uint32_t},
    {"ds_wrxchg_rtn_b64", M_ATOMIC, 8, 0, A_ALL, swap_uint64_t},
    {"ds_wrap_rtn_b32", M_ATOMIC, 4, M_CMP, A_ALL, wrap_uint32_t},
};
const struct mem_list ref_ds_ops = {ds, sizeof ds / sizeof *ds};

uint32_t mem_extend(const struct ls_gpu *arch, const struct mem_op *op, uint32_t raw, uint32_t old)
{
    uint32_t v = raw;
    if (op->flags & M_SIGNED)
        v = (uint32_t)sext(raw, op->bytes * 8);
    if (op->flags & M_D16)
        return (v & 0xffff) | (old & mem_kept(arch, false));
    if (op->flags & M_D16_HI)
        return v << 16 | (old & mem_kept(arch, true));
    return v;
}

uint64_t mem_value(const struct mem_op *op, struct rng *r)
{
    int whole = (int)rng_below(r, 2000) - 1000;
    double v = whole == 0 ? 1.5 : whole / 8.0;
    if (op->flags & M_HALVES)
        return op->fn == pk_add_f16 ? bits_of_f16((quad)v) | bits_of_f16((quad)(v / 2)) << 16
                                    : bits_of_bf16((quad)v) | bits_of_bf16((quad)(v / 2)) << 16;
    if (op->flags & M_FLOAT)
        return op->bytes == 4 ? bits_of_f32((float)v) : bits_of_f64(v);
    return value_random(r, op->bytes == 8 ? T_B64 : T_B32);
}
