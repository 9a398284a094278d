/*
 * kernels.c - compiled for the GPU and for the host; the driver compares what both write. Each kernel leans
 * on one part of the engine (see KERNEL_LIST in kernels.h).
 */
#include "device.h"

/* ---- Integer arithmetic of all widths. ---- */

KERNEL int_basic(PARAMETERS)
{
    u32 i = item(), x = a[i], y = b[i];
    GLOBAL u32 *o = out + 16 * i;
    o[0] = x + y * 3;
    o[1] = x - (y ^ n);
    o[2] = (x << (y & 31)) | (x >> (32 - (y & 31) & 31));
    o[3] = (u32)((i32)x >> (y & 31));
    o[4] = (i32)x < (i32)y ? x : y;
    o[5] = x > y ? x : y;
    o[6] = __builtin_popcount(x) + (y ? (u32)__builtin_clz(y) : 99);
    o[7] = y ? (u32)__builtin_ctz(y) : 98;
    o[8] = (u32)(u8)x * (u32)(u8)y + (u32)((i8)x * (i8)y);
    o[9] = (u32)(u16)(x + y) + (u32)(i32)(i16)(x * y);
    o[10] = __builtin_bswap32(x) ^ __builtin_bitreverse32(y);
    o[11] = ((x >> 5) & 0x7ff) | ((y & 0x1f) << 20);
    o[12] = x & ~y;
    o[13] = (u32)(((i32)(x << 7)) >> 12);
    o[14] = (x & 0xffffff) * (y & 0xffffff);
    o[15] = (u32)((((u64)x * y) >> 32) + (u64)(((i64)(i32)x * (i32)y) >> 32));
}

KERNEL int_divide(PARAMETERS)
{
    u32 i = item(), x = a[i], y = b[i] | 1;
    GLOBAL u32 *o = out + 16 * i;
    o[0] = x / y;
    o[1] = x % y;
    i32 sy = (i32)y;
    if ((i32)x == (i32)0x80000000 && sy == -1)
        sy = 3;
    o[2] = (u32)((i32)x / sy);
    o[3] = (u32)((i32)x % sy);
    u64 p = (u64)x << 32 | y, q = (u64)(y >> (x & 31)) << 8 | 3;
    u64 d = p / q, m = p % q;
    o[4] = (u32)d, o[5] = (u32)(d >> 32), o[6] = (u32)m, o[7] = (u32)(m >> 32);
    i64 sd = (i64)p / (i64)q;
    o[8] = (u32)sd, o[9] = (u32)((u64)sd >> 32);
    o[10] = x / 7 + y % 10;
    o[11] = (u32)((i32)x / 1000);
    o[12] = (u16)x / (u16)(y | 1);
    o[13] = x / (n | 1);
}

KERNEL int_64(PARAMETERS)
{
    u32 i = item();
    u64 x = (u64)a[i] << 32 | b[i], y = (u64)b[(i + 1) % ITEMS] << 32 | a[(i + 7) % ITEMS];
    u32 s = a[i] & 63;
    u64 r[8] = {x + y, x - y, x * y, x << s, x >> s, (u64)((i64)x >> s), x<y ? x : y, (i64)x>(i64) y ? x : y};
    for (u32 k = 0; k < 8; k++) {
        out[16 * i + 2 * k] = (u32)r[k];
        out[16 * i + 2 * k + 1] = (u32)(r[k] >> 32);
    }
}

/* ---- Floating point without contraction. ---- */

KERNEL float_basic(PARAMETERS)
{
    u32 i = item();
    float x = float_of(a[i]), y = float_of(b[i]), z = (float)(i32)(a[i] ^ b[i]) * 0.001f;
    GLOBAL u32 *o = out + 16 * i;
    o[0] = float_bits(x + y);
    o[1] = float_bits(x - y * z);
    o[2] = float_bits(__builtin_fmaf(x, y, z));
    o[3] = x < y ? 1 : x > y ? 2 : x == y ? 3 : 4;
    o[4] = float_bits(x * 0.5f + z);
    o[5] = float_bits(__builtin_floorf(z) + __builtin_truncf(z) + __builtin_rintf(z));
    o[6] = float_bits((float)a[i]) ^ float_bits((float)(i32)b[i]);
    o[7] = (u32)(i32)z;
    o[8] = float_bits(__builtin_fabsf(x) - z);
    o[9] = float_bits(-x * y);
    o[10] = float_bits((float)(((u64)a[i] << 20) + b[i]));
    o[11] = float_bits(z > 0 ? z : -z * 3.0f);
    o[12] = (u32)(__builtin_isnan(x) ? 1 : 0) | (u32)(__builtin_isinf(y) ? 2 : 0);
    o[13] = float_bits(__builtin_ldexpf(z, (int)(b[i] & 63) - 32));
}

KERNEL float_divide(PARAMETERS)
{
    u32 i = item();
    float x = float_of(a[i]), y = float_of(b[i]);
    float p = (float)(a[i] >> 8) * 0.37f, q = (float)(i32)(b[i] | 1) * 0.0021f;
    GLOBAL u32 *o = out + 16 * i;
    o[0] = float_bits(x / y);
    o[1] = float_bits(p / q);
    o[2] = float_bits(1.0f / q);
    o[3] = float_bits(__builtin_sqrtf(p));
    o[4] = float_bits(__builtin_sqrtf(x));
    o[5] = float_bits(q / 3.0f);
    o[6] = float_bits(p / 1e30f / 1e9f);
}

KERNEL double_basic(PARAMETERS)
{
    u32 i = item();
    double x = double_of((u64)a[i] << 32 | b[i]), y = (double)(i32)b[i] * 1.5e-3, z = (double)a[i];
    u64 r[8] = {double_bits(x + y),
                double_bits(y * z - x),
                double_bits(__builtin_fma(y, z, x)),
                double_bits(z / (y + 0.25)),
                double_bits(__builtin_sqrt(z)),
                double_bits(__builtin_floor(y) * 2 + __builtin_rint(y)),
                (u64)(i64)y,
                double_bits((double)(((u64)a[i] << 32) | b[i]))};
    for (u32 k = 0; k < 8; k++) {
        out[16 * i + 2 * k] = (u32)r[k];
        out[16 * i + 2 * k + 1] = (u32)(r[k] >> 32);
    }
}

KERNEL half_basic(PARAMETERS)
{
    u32 i = item();
    _Float16 x = (_Float16)((float)(i32)(a[i] & 0xfff) * 0.03f),
             y = (_Float16)((float)(i32)(b[i] & 0x3ff) - 300);
    GLOBAL u32 *o = out + 16 * i;
    o[0] = float_bits((float)(_Float16)(x + y));
    o[1] = float_bits((float)(_Float16)(x * y));
    o[2] = float_bits((float)(_Float16)(x - y));
    o[3] = x < y;
    o[4] = (u32)(i32)(float)x;
    o[5] = float_bits((float)(_Float16)(y > x ? y : -x));
}

/* ---- Control flow. ---- */

KERNEL divergence(PARAMETERS)
{
    u32 i = item(), x = a[i], steps = 0, sum = 0;
    while (x > 1 && steps < 60) {
        if (x & 1) {
            x = 3 * (x & 0xffff) + 1;
            if (x % 5 == 0)
                sum += x;
            else if (x % 7 == 0)
                continue;
        } else {
            x >>= 1;
        }
        steps++;
        if (steps + sum % 11 > 50)
            break;
    }
    for (u32 k = 0; k < (b[i] & 15); k++) {
        switch ((x + k) % 6) {
        case 0:
            sum += k;
            break;
        case 1:
            sum ^= x;
        case 2:
            sum -= 3;
            break;
        case 4:
            sum = sum << 1 | sum >> 31;
            break;
        default:
            sum += n;
        }
        if ((sum & 63) == 63)
            break;
    }
    out[16 * i] = x;
    out[16 * i + 1] = steps;
    out[16 * i + 2] = sum;
    if (i % 3 == 0) {
        if (i % 2)
            out[16 * i + 3] = 7;
        else
            out[16 * i + 4] = 8;
        return;
    }
    out[16 * i + 5] = sum * 3;
}

KERNEL mandelbrot(PARAMETERS)
{
    u32 i = item(), k = 0;
    float cx = (float)(i % 64) * 0.04f - 2.0f, cy = (float)(i / 64) * 0.1f - 0.8f, x = 0, y = 0;
    while (k < 80 && x * x + y * y < 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        k++;
    }
    out[16 * i] = k + (a[i] & b[i] & 0) + n;
    out[16 * i + 1] = float_bits(x);
    out[16 * i + 2] = float_bits(y);
}

/* ---- Memory. ---- */

KERNEL widths(PARAMETERS)
{
    u32 i = item();
    const GLOBAL u8 *bytes = (const GLOBAL u8 *)a;
    const GLOBAL i16 *shorts = (const GLOBAL i16 *)b;
    const GLOBAL u64 *longs = (const GLOBAL u64 *)a;
    GLOBAL u8 *ob = (GLOBAL u8 *)(out + 16 * i);
    GLOBAL u16 *os = (GLOBAL u16 *)(out + 16 * i);
    ob[1] = bytes[3 * i];
    ob[0] = (u8)(((const GLOBAL i8 *)a)[2 * i + 1] >> 1);
    os[1] = (u16)shorts[i];
    os[2] = (u16)(bytes[i] + shorts[2 * i]);
    u64 v = longs[i / 2];
    *(GLOBAL u64 *)(out + 16 * i + 2) = v * 3;
    typedef u32 u32x4 __attribute__((ext_vector_type(4)));
    u32x4 q = *(const GLOBAL u32x4 *)(a + 4 * (i % (ITEMS / 4)));
    *(GLOBAL u32x4 *)(out + 16 * i + 8) = q + n;
    u32 sum = 0;
    for (u32 k = 0; k < 13; k++)
        sum = sum * 31 + b[(i * 17 + k * 5) % ITEMS];
    out[16 * i + 15] = sum;
}

LDS(u32, tile, GROUP);
KERNEL lds_reduce(PARAMETERS)
{
    u32 l = local_id(), i = item();
    tile[l] = a[i] ^ n;
    barrier();
    for (u32 step = GROUP / 2; step; step >>= 1) {
        u32 v = 0;
        if (l < step)
            v = tile[l] * 5 + tile[l + step];
        barrier();
        if (l < step)
            tile[l] = v;
        barrier();
    }
    out[i] = tile[0] + b[i];
}

LDS(u64, wide_tile, GROUP);
LDS(u8, byte_tile, GROUP * 4);
KERNEL lds_mixed(PARAMETERS)
{
    u32 l = local_id(), i = item();
    wide_tile[l] = (u64)a[i] << 32 | b[i];
    for (u32 k = 0; k < 4; k++)
        byte_tile[4 * l + k] = (u8)(a[i] >> (8 * k));
    barrier();
    u64 v = wide_tile[GROUP - 1 - l] + wide_tile[(l * 7 + 3) % GROUP];
    u32 s = byte_tile[(l * 13) % (4 * GROUP)] + 256u * byte_tile[4 * GROUP - 1 - l] + n;
    barrier();
    wide_tile[l] = v ^ s;
    barrier();
    out[16 * i] = (u32)wide_tile[l ^ 1];
    out[16 * i + 1] = (u32)(wide_tile[l ^ 17] >> 32);
    out[16 * i + 2] = s;
}

LDS(float, tile_a, 16 * 16);
LDS(float, tile_b, 16 * 16);
KERNEL matmul(PARAMETERS)
{
    u32 l = local_id(), x = l % 16, y = l / 16;
    float sum = 0;
    for (u32 t = 0; t < 4; t++) {
        tile_a[l] = (float)(a[(t * 256 + l + group_id()) % ITEMS] & 255) * 0.125f;
        tile_b[l] = (float)(b[(t * 256 + l) % ITEMS] & 255) - 100.0f;
        barrier();
        for (u32 k = 0; k < 16; k++)
            sum = sum + tile_a[16 * y + k] * tile_b[16 * k + x];
        barrier();
    }
    out[item()] = float_bits(sum + (float)n);
}

LDS(u32, counts, 64);
KERNEL histogram(PARAMETERS)
{
    u32 l = local_id(), i = item();
    if (l < 64)
        counts[l] = 0;
    barrier();
    ATOMIC_ADD((LDS_POINTER(u32)) & counts[a[i] & 63], 1u);
    ATOMIC_ADD((LDS_POINTER(u32)) & counts[b[i] % 61], n & 3);
    barrier();
    if (l < 64)
        ATOMIC_ADD(&out[l], counts[l]);
}

KERNEL atomics(PARAMETERS)
{
    u32 i = item();
    ATOMIC_ADD(&out[0], a[i]);
    ATOMIC_MAX(&out[1], b[i]);
    ATOMIC_MAX((GLOBAL i32 *)&out[2], (i32)a[i]);
    ATOMIC_MIN((GLOBAL i32 *)&out[3], (i32)b[i]);
    ATOMIC_OR(&out[4 + i % 8], 1u << (i & 31));
    ATOMIC_XOR(&out[12], a[i]);
    ATOMIC_ADD((GLOBAL u64 *)&out[14], (u64)a[i] << 8);
    ATOMIC_MAX((GLOBAL u64 *)&out[16], (u64)a[i] << 32 | b[i]);
    if (i % 37 == 0) { /* a lock-free sum through compare and swap */
        u32 seen = out[20];
        while (!ATOMIC_CAS(&out[20], &seen, seen + (b[i] | 1)))
            ;
    }
    u32 ticket = ATOMIC_ADD(&out[32 + i % 16], 1u); /* who gets which is open: only a commutative use */
    ATOMIC_ADD(&out[64 + i % 16], ticket * 3 + n);
}

/* ---- Scratch, calls, indirect calls, recursion. ---- */

KERNEL scratch_array(PARAMETERS)
{
    u32 i = item(), local[24];
    for (u32 k = 0; k < 24; k++)
        local[k] = a[(i + k) % ITEMS] * (k + 1);
    for (u32 k = 0; k < 24; k++) {
        u32 j = (b[i] + k * local[k]) % 24;
        u32 t = local[k];
        local[k] = local[j] + n;
        local[j] = t;
    }
    u8 small[40];
    for (u32 k = 0; k < 40; k++)
        small[k] = (u8)(local[k % 24] >> (k & 7));
    u32 sum = 0;
    for (u32 k = 0; k < 40; k++)
        sum = sum * 3 + small[(k * (b[i] & 7)) % 40];
    for (u32 k = 0; k < 12; k++)
        out[16 * i + k] = local[2 * k];
    out[16 * i + 12] = sum;
}

static NOINLINE u32 mix(u32 x, u32 y)
{
    return (x ^ (x >> 7)) * 0x9e3779b1u + y;
}
static NOINLINE u32 count_down(u32 x, u32 depth)
{
    u32 keep[3] = {x, depth, x ^ depth};
    if (depth == 0)
        return mix(x, 1);
    u32 r = count_down(mix(x, depth), depth - 1);
    return r + keep[x % 3];
}
static NOINLINE u64 wide(u64 x, u32 y)
{
    return x * 6364136223846793005ull + y;
}
KERNEL calls(PARAMETERS)
{
    u32 i = item();
    u32 r = mix(a[i], b[i]);
    if (i & 1)
        r = mix(r, mix(b[i], n));
    out[16 * i] = r;
    out[16 * i + 1] = count_down(a[i], b[i] & 7);
    u64 w = wide(wide(r, a[i]), b[i]);
    out[16 * i + 2] = (u32)w;
    out[16 * i + 3] = (u32)(w >> 32);
}

static NOINLINE u32 op_add(u32 x, u32 y)
{
    return x + y;
}
static NOINLINE u32 op_xor(u32 x, u32 y)
{
    return (x ^ y) * 3;
}
static NOINLINE u32 op_rot(u32 x, u32 y)
{
    return x << (y & 15) | x >> (31 - (y & 15));
}
KERNEL indirect(PARAMETERS)
{
    u32 i = item(), x = a[i];
    u32 (*const table[3])(u32, u32) = {op_add, op_xor, op_rot};
    for (u32 k = 0; k < 5; k++)
        x = table[(b[i] + k) % 3](x, n + k);
    out[i] = x;
}

/* Dynamic indexing of values that live in registers at -O3 (v_movrel, s_set_gpr_idx). */
KERNEL dynamic_index(PARAMETERS)
{
    typedef u32 u32x16 __attribute__((ext_vector_type(16)));
    u32 i = item();
    u32x16 v;
    for (u32 k = 0; k < 16; k++)
        v[k] = a[(i + k) % ITEMS];
    for (u32 k = 0; k < 6; k++) {
        v[(b[k] + n) & 15] += v[(b[k + 6] >> 3) & 15] * 7; /* uniform */
        v[(b[i] >> (4 * k)) & 15] ^= k;                    /* divergent */
    }
    for (u32 k = 0; k < 16; k++)
        out[16 * i + k] = v[k];
}

/* Generic pointers that may be LDS, scratch or global. */
LDS(u32, generic_tile, GROUP);
static NOINLINE u32 through(const u32 *p, u32 k)
{
    return p[k] + 1;
}
KERNEL flat_pointers(PARAMETERS)
{
    u32 l = local_id(), i = item(), own[8];
    generic_tile[l] = b[i];
    for (u32 k = 0; k < 8; k++)
        own[k] = a[i] + k;
    barrier();
    const u32 *p = (const u32 *)generic_tile;
    if (a[i] % 3 == 1)
        p = own;
    else if (a[i] % 3 == 2)
        p = (const u32 *)a;
    out[16 * i] = through(p, b[i] & 7);
    out[16 * i + 1] = through((const u32 *)b, l) + n;
}

/* Bit-exact chaos: a long integer hash per item, with many live values. */
KERNEL long_hash(PARAMETERS)
{
    u32 i = item(), s[12];
    for (u32 k = 0; k < 12; k++)
        s[k] = a[(i * 3 + k) % ITEMS] + k;
    for (u32 r = 0; r < 40; r++)
        for (u32 k = 0; k < 12; k++) {
            u32 x = s[k], y = s[(k + 5) % 12];
            s[k] = ((x << (r % 31 + 1)) | (x >> (31 - r % 31))) + (y ^ b[(i + r) % ITEMS]) * (2 * k + 1);
        }
    for (u32 k = 0; k < 12; k++)
        out[16 * i + k] = s[k] ^ n;
}
