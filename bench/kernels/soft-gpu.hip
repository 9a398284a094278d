/* soft-gpu.hip - the kernels of bench/soft-gpu.c, for the GPU and (as C) for the host. Contraction is off and
 * every fused multiply-add is spelled out, so that both sides give the same bits. */
#include "items.h"

/* y = a x + y */
KERNEL(saxpy, const float *x, float *y, float a, unsigned n)
{
    EACH_ITEM(256)
    {
        unsigned i = GROUP_X * 256 + ITEM;
        if (i < n)
            y[i] = __builtin_fmaf(a, x[i], y[i]);
    }
    SYNC();
}

/* The textbook: 16 x 16 work-items, a tile of A and one of B in LDS, one element each. */
KERNEL(matmul, const float *a, const float *b, float *c, unsigned n)
{
    SHARED float ta[16][16], tb[16][16];
    OWN(float, sum, 1, 256);
    EACH_ITEM(256)
    MINE(sum)[0] = 0;
    for (unsigned t = 0; t < n; t += 16) {
        EACH_ITEM(256)
        {
            ta[ITEM_16Y][ITEM_16X] = a[(GROUP_Y * 16 + ITEM_16Y) * n + t + ITEM_16X];
            tb[ITEM_16Y][ITEM_16X] = b[(t + ITEM_16Y) * n + GROUP_X * 16 + ITEM_16X];
        }
        SYNC();
        EACH_ITEM(256)
        {
            float s = MINE(sum)[0];
            for (unsigned k = 0; k < 16; k++)
                s = __builtin_fmaf(ta[ITEM_16Y][k], tb[k][ITEM_16X], s);
            MINE(sum)[0] = s;
        }
        SYNC();
    }
    EACH_ITEM(256)
    c[(GROUP_Y * 16 + ITEM_16Y) * n + GROUP_X * 16 + ITEM_16X] = MINE(sum)[0];
}

/* A tile of 64 x 64 by 16 x 16 work-items, 4 x 4 elements each. */
KERNEL(sgemm, const float *a, const float *b, float *c, unsigned n)
{
    SHARED float ta[16][64], tb[16][64]; /* ta is transposed */
    OWN(float, sum, 16, 256);
    EACH_ITEM(256)
    for (unsigned i = 0; i < 16; i++)
        MINE(sum)[i] = 0;
    for (unsigned t = 0; t < n; t += 16) {
        EACH_ITEM(256)
        for (unsigned r = 0; r < 4; r++) {
            ta[ITEM_16X][ITEM_16Y * 4 + r] = a[(GROUP_Y * 64 + ITEM_16Y * 4 + r) * n + t + ITEM_16X];
            tb[ITEM_16Y][ITEM_16X * 4 + r] = b[(t + ITEM_16Y) * n + GROUP_X * 64 + ITEM_16X * 4 + r];
        }
        SYNC();
        EACH_ITEM(256)
        for (unsigned k = 0; k < 16; k++)
            for (unsigned i = 0; i < 4; i++)
                for (unsigned j = 0; j < 4; j++)
                    MINE(sum)[4 * i + j] = __builtin_fmaf(ta[k][ITEM_16Y * 4 + i], tb[k][ITEM_16X * 4 + j],
                                                      MINE(sum)[4 * i + j]);
        SYNC();
    }
    EACH_ITEM(256)
    for (unsigned i = 0; i < 16; i++)
        c[(GROUP_Y * 64 + ITEM_16Y * 4 + i / 4) * n + GROUP_X * 64 + ITEM_16X * 4 + i % 4] = MINE(sum)[i];
}

/* Iterations until the point escapes, at most 256: neighbours diverge. */
KERNEL(mandelbrot, unsigned *out, unsigned n)
{
    EACH_ITEM(256)
    {
        unsigned px = GROUP_X * 16 + ITEM_16X, py = GROUP_Y * 16 + ITEM_16Y;
        float cx = -2.0f + 3.0f / (float)n * (float)px, cy = -1.5f + 3.0f / (float)n * (float)py;
        float x = 0, y = 0;
        unsigned i = 0;
        while (i < 256 && x * x + y * y <= 4.0f) {
            float next = __builtin_fmaf(x, x, __builtin_fmaf(-y, y, cx));
            y = __builtin_fmaf(2 * x, y, cy);
            x = next;
            i++;
        }
        out[py * n + px] = i;
    }
    SYNC();
}

/* 256 bins in LDS, 16 values per work-item. */
KERNEL(histogram, const unsigned *in, unsigned *bins)
{
    SHARED unsigned local[256];
    EACH_ITEM(256)
    local[ITEM] = 0;
    SYNC();
    EACH_ITEM(256)
    for (unsigned k = 0; k < 16; k++)
        SHARED_ADD(&local[in[GROUP_X * 4096 + k * 256 + ITEM] >> 24], 1u);
    SYNC();
    EACH_ITEM(256)
    GLOBAL_ADD(&bins[ITEM], local[ITEM]);
}

/* C = A' B with A' stored transposed: 4 wavefronts make 64 x 64, each 32 x 32 with v_mfma_f32_32x32x2f32. */
#ifdef __gfx90a__
typedef float tile_row __attribute__((ext_vector_type(16)));
KERNEL(mfma_gemm, const float *at, const float *b, float *c, unsigned n)
{
    SHARED float ta[16][64], tb[16][64];
    const unsigned item = ITEM, lane = item % 64, wave = item / 64;
    const unsigned row = wave / 2 * 32, column = wave % 2 * 32;
    tile_row sum = 0;
    for (unsigned t = 0; t < n; t += 16) {
        for (unsigned k = 0; k < 16; k += 4) {
            ta[k + wave][lane] = at[(t + k + wave) * n + GROUP_Y * 64 + lane];
            tb[k + wave][lane] = b[(t + k + wave) * n + GROUP_X * 64 + lane];
        }
        SYNC();
        for (unsigned k = 0; k < 16; k += 2)
            sum = __builtin_amdgcn_mfma_f32_32x32x2f32(ta[k + lane / 32][row + lane % 32],
                                                       tb[k + lane / 32][column + lane % 32], sum, 0, 0, 0);
        SYNC();
    }
    for (unsigned i = 0; i < 16; i++)
        c[(GROUP_Y * 64 + row + i / 4 * 8 + lane / 32 * 4 + i % 4) * n + GROUP_X * 64 + column + lane % 32] =
            sum[i];
}
#elif !defined(__HIP__)
KERNEL(mfma_gemm, const float *at, const float *b, float *c, unsigned n)
{
    SHARED float sum[64][64];
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < 64; j++)
            sum[i][j] = 0;
    for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < 64; i++)
            for (unsigned j = 0; j < 64; j++)
                sum[i][j] = __builtin_fmaf(at[k * n + GROUP_Y * 64 + i], b[k * n + GROUP_X * 64 + j], sum[i][j]);
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < 64; j++)
            c[(GROUP_Y * 64 + i) * n + GROUP_X * 64 + j] = sum[i][j];
}
#endif

/* Registers only: (x ^ b) * c + d over 64 values. */
KERNEL(valu, unsigned *out, unsigned b, unsigned c, unsigned d, unsigned turns)
{
    EACH_ITEM(256)
    {
        unsigned x[64];
        for (unsigned i = 0; i < 64; i++)
            x[i] = ITEM * 64 + i;
        for (unsigned t = 0; t < turns; t++)
            for (unsigned i = 0; i < 64; i++)
                x[i] = (x[i] ^ b) * c + d;
        unsigned sum = 0;
        for (unsigned i = 0; i < 64; i++)
            sum += x[i];
        out[GROUP_X * 256 + ITEM] = sum;
    }
    SYNC();
}

/* Every lane adds to one of 4096 words in memory. */
KERNEL(atomics, const unsigned *in, unsigned *words)
{
    EACH_ITEM(256)
    for (unsigned k = 0; k < 16; k++)
        GLOBAL_ADD(&words[in[GROUP_X * 4096 + k * 256 + ITEM] >> 20], 1u);
    SYNC();
}

/* One work-item fills or copies 16 bytes, as HIP's own kernels do it: `n` is the number of work-items. */
#ifdef __HIP__
typedef unsigned quad __attribute__((ext_vector_type(4)));
#else
typedef unsigned quad __attribute__((vector_size(16)));
#endif
KERNEL(fill, quad *to, unsigned value, unsigned per_item)
{
    EACH_ITEM(256)
    for (unsigned k = 0; k < per_item; k++) {
        quad q = {value, value, value, value};
        to[(GROUP_X * per_item + k) * 256 + ITEM] = q;
    }
    SYNC();
}
KERNEL(copy, const quad *from, quad *to, unsigned per_item)
{
    EACH_ITEM(256)
    for (unsigned k = 0; k < per_item; k++)
        to[(GROUP_X * per_item + k) * 256 + ITEM] = from[(GROUP_X * per_item + k) * 256 + ITEM];
    SYNC();
}

/* A rectangle of bytes, 16 x 16 work-items with one byte each, as HIP's own kernels do it at odd places. */
KERNEL(fill_rect, unsigned char *to, unsigned value, unsigned pitch)
{
    EACH_ITEM(256)
    to[(unsigned long)(GROUP_Y * 16 + ITEM_16Y) * pitch + GROUP_X * 16 + ITEM_16X] = (unsigned char)value;
    SYNC();
}
KERNEL(copy_rect, const unsigned char *from, unsigned char *to, unsigned pitch)
{
    EACH_ITEM(256)
    {
        unsigned long at = (unsigned long)(GROUP_Y * 16 + ITEM_16Y) * pitch + GROUP_X * 16 + ITEM_16X;
        to[at] = from[at];
    }
    SYNC();
}

/* Work-groups that do nothing. */
KERNEL(nothing, unsigned unused)
{
    (void)unused;
    (void)GROUP_X;
    SYNC();
}
