/*
 * valu_matrix.c - unpacking of matrix operands and the multiplication kernels with f32 results.
 *
 * C and D (not f64): with q = 64/N, element [i][j] of block b is in register b*(M*N/64) + 4*(i/(4q)) + i%4,
 * lane N*((i/4)%q) + j; 4x4: register i, lane 4b + j. A row i of the result is thus a run of N lanes of one
 * register, and a kernel computes it as one or a few vectors.
 *
 * Order of additions: f32 is a chain of fused multiply-adds over k that begins with C. Narrow types on CDNA2
 * add groups of products in a tree of f32 additions. On CDNA3 and later the hardware aligns a group of
 * products and adds it as one number; we add a group in f64 and round the sum with the accumulator once,
 * which differs from hardware in the last place only; valu_matrix_exact.c does it as the hardware does.
 */
#include <pthread.h>
#include "valu_matrix.h"
#include "soft-gpu/isa/vector/valu_minifloat.h"

/* ---- Unpacking ---- */

static unsigned element_bits(enum sg_element el)
{
    static const uint8_t bits[] = {32, 64, 32, 16, 16, 8, 8, 8, 8, 8, 6, 6, 4};
    return bits[el];
}

static float small_values[SG_EL_FP4 + 1][256];
static pthread_once_t small_once = PTHREAD_ONCE_INIT;

static void fill_small(void)
{
    static const struct {
        enum sg_element el;
        const struct sg_minifloat *format;
    } formats[] = {{SG_EL_FP8, &sg_mini_fp8_ocp},
                   {SG_EL_BF8, &sg_mini_bf8_ocp},
                   {SG_EL_FP8_FNUZ, &sg_mini_fp8_fnuz},
                   {SG_EL_BF8_FNUZ, &sg_mini_bf8_fnuz},
                   {SG_EL_FP6, &sg_mini_fp6},
                   {SG_EL_BF6, &sg_mini_bf6},
                   {SG_EL_FP4, &sg_mini_fp4}};
    for (unsigned f = 0; f < sizeof formats / sizeof formats[0]; f++)
        for (uint32_t code = 0; code < 1u << formats[f].format->bits; code++)
            small_values[formats[f].el][code] = sg_mini_decode(formats[f].format, code);
}

/* Element number t of all lanes, as bits. */
static void element_row(uint32_t out[SG_MAX_LANES], sg_rows v, unsigned row, unsigned bits, unsigned t,
                        const uint8_t *lanes)
{
    const unsigned at = t * bits, shift = at % 32;
    const uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    const uint32_t *low = v[row + at / 32], *high = v[row + (at + bits - 1) / 32];
    const unsigned up = (32 - shift) & 31;
    const uint32_t high_mask = shift + bits > 32 ? mask : 0;
    SG_EACH_LANE
    out[i] = (low[i] >> shift & mask) | (high[i] << up & high_mask);
    if (!lanes)
        return;
    uint32_t own[SG_MAX_LANES];
    memcpy(own, out, sizeof own);
    for (unsigned i = 0; i < SG_MAX_LANES; i++)
        out[i] = own[lanes[i]];
}

/* Runs of `width` lanes go to rows g*elements + t of the matrix. */
static void scatter(uint32_t *out, const uint32_t row[SG_MAX_LANES], unsigned t, unsigned elements,
                    unsigned width)
{
    for (unsigned g = 0; g * width < SG_MAX_LANES; g++)
        memcpy(out + (size_t)(g * elements + t) * width, row + g * width, width * sizeof *out);
}

void sg_matrix_unpack(float *out, sg_rows v, unsigned row, enum sg_element el, unsigned elements,
                      unsigned width, const uint8_t *lanes, bool flush)
{
    const unsigned bits = element_bits(el);
    _Alignas(64) uint32_t word[SG_MAX_LANES];
    _Alignas(64) float value[SG_MAX_LANES];
    if (bits <= 8)
        pthread_once(&small_once, fill_small);
    for (unsigned t = 0; t < elements; t++) {
        element_row(word, v, row, bits, t, lanes);
        switch (el) {
        case SG_EL_F32:
            memcpy(value, word, sizeof value);
            break;
        case SG_EL_XF32: /* the mantissa is cut to 10 bits */
            SG_EACH_LANE
            value[i] = sg_f32(word[i] & 0xffffe000);
            break;
        case SG_EL_F16:
            SG_EACH_LANE
            value[i] = sg_f32_of_f16(sg_flush16(word[i], flush ? 0x3ff : 0));
            break;
        case SG_EL_BF16:
            SG_EACH_LANE
            value[i] = sg_f32(flush && !(word[i] & 0x7f80) ? word[i] << 16 & 0x80000000 : word[i] << 16);
            break;
        default:
            for (unsigned i = 0; i < SG_MAX_LANES; i++)
                value[i] = small_values[el][word[i]];
        }
        scatter((uint32_t *)out, (const uint32_t *)value, t, elements, width);
    }
}

void sg_matrix_unpack_i8(int32_t *out, sg_rows v, unsigned row, unsigned elements, unsigned width,
                         const uint8_t *lanes)
{
    _Alignas(64) uint32_t word[SG_MAX_LANES];
    for (unsigned t = 0; t < elements; t++) {
        element_row(word, v, row, 8, t, lanes);
        SG_EACH_LANE
        word[i] = (uint32_t)(int8_t)word[i];
        scatter((uint32_t *)out, word, t, elements, width);
    }
}

/* ---- Kernels: one row of the result, N lanes. a: its multipliers, one per k, at stride a_stride. ---- */

static inline __attribute__((always_inline)) void chain_row(float *acc, const float *a, unsigned a_stride,
                                                            const float *b, unsigned b_stride, unsigned k,
                                                            unsigned n)
{
    if (n == 4) {
        for (unsigned j = 0; j < 4; j++)
            for (unsigned x = 0; x < k; x++)
                acc[j] = __builtin_fmaf(a[x * a_stride], b[x * b_stride + j], acc[j]);
        return;
    }
    __m256 sum[4];
    for (unsigned j = 0; j < n / 8; j++)
        sum[j] = _mm256_loadu_ps(acc + 8 * j);
    for (unsigned x = 0; x < k; x++) {
        const __m256 factor = _mm256_broadcast_ss(a + x * a_stride);
        for (unsigned j = 0; j < n / 8; j++)
            sum[j] = _mm256_fmadd_ps(factor, _mm256_loadu_ps(b + x * b_stride + 8 * j), sum[j]);
    }
    for (unsigned j = 0; j < n / 8; j++)
        _mm256_storeu_ps(acc + 8 * j, sum[j]);
}

/* Groups of products summed in f64, rounded to f32 with the accumulator. */
static inline __attribute__((always_inline)) void grouped_row(float *acc, const float *a, unsigned a_stride,
                                                              const float *b, unsigned b_stride, unsigned k,
                                                              unsigned n, unsigned group)
{
    for (unsigned j = 0; j < n; j += 4) {
        __m128 total = _mm_loadu_ps(acc + j);
        for (unsigned x = 0; x < k; x += group) {
            __m256d sum = _mm256_setzero_pd();
            for (unsigned y = x; y < x + group && y < k; y++)
                sum = _mm256_fmadd_pd(_mm256_set1_pd((double)a[y * a_stride]),
                                      _mm256_cvtps_pd(_mm_loadu_ps(b + y * b_stride + j)), sum);
            total = _mm256_cvtpd_ps(_mm256_add_pd(_mm256_cvtps_pd(total), sum));
        }
        _mm_storeu_ps(acc + j, total);
    }
}

/* CDNA2: (p0 + p1) + (p2 + p3), or p0 + p1, in f32, then the accumulator. */
static inline __attribute__((always_inline)) void tree_row(float *acc, const float *a, unsigned a_stride,
                                                           const float *b, unsigned b_stride, unsigned k,
                                                           unsigned n, unsigned group)
{
    for (unsigned j = 0; j < n; j += 4) {
        __m128 total = _mm_loadu_ps(acc + j);
        for (unsigned x = 0; x < k; x += group) {
            __m128 sum[2] = {_mm_setzero_ps(), _mm_setzero_ps()};
            for (unsigned y = 0; y < group; y += 2) {
                const float *f = a + (x + y) * a_stride, *g = b + (x + y) * b_stride + j;
                sum[y / 2] =
                    _mm_add_ps(_mm_mul_ps(_mm_broadcast_ss(f), _mm_loadu_ps(g)),
                               _mm_mul_ps(_mm_broadcast_ss(f + a_stride), _mm_loadu_ps(g + b_stride)));
            }
            total = _mm_add_ps(total, group == 4 ? _mm_add_ps(sum[0], sum[1]) : sum[0]);
        }
        _mm_storeu_ps(acc + j, total);
    }
}

/* All rows of the result for a constant n. */
static inline __attribute__((always_inline)) void multiply(const struct sg_matrix_job *job, unsigned n,
                                                           bool tree)
{
    const struct sg_matrix_shape *s = job->shape;
    const unsigned m = s->m, k = s->k, blocks = s->blocks, group_mask = (1u << job->cbsz) - 1;
    for (unsigned block = 0; block < blocks; block++) {
        const unsigned from = job->cbsz ? (block & ~group_mask) + job->abid : block;
        const float *a = job->a + from * m, *b = job->b + block * n;
        for (unsigned i = 0; i < m; i++) {
            unsigned reg, lane;
            sg_matrix_place(m, n, block, i, &reg, &lane);
            float acc[32];
            if (job->c_constant)
                for (unsigned j = 0; j < n; j++)
                    acc[j] = job->c_value;
            else
                memcpy(acc, &job->v[job->c + reg][lane], n * sizeof *acc);
            if (tree)
                tree_row(acc, a + i, m * blocks, b, n * blocks, k, n, s->group);
            else if (s->group == 1)
                chain_row(acc, a + i, m * blocks, b, n * blocks, k, n);
            else
                grouped_row(acc, a + i, m * blocks, b, n * blocks, k, n, s->group);
            memcpy(&job->v[job->d + reg][lane], acc, n * sizeof *acc);
        }
    }
}

/* f32 with at most 8 vectors of B per block, which stay in registers for all rows. */
static inline __attribute__((always_inline)) void multiply_f32(const struct sg_matrix_job *job, unsigned n,
                                                               unsigned k)
{
    const unsigned m = n, blocks = job->shape->blocks, vectors = n / 8;
    for (unsigned block = 0; block < blocks; block++) {
        const float *a = job->a + block * m, *b = job->b + block * n;
        __m256 factors[8], sum[4];
        for (unsigned x = 0; x < k; x++)
            for (unsigned j = 0; j < vectors; j++)
                factors[x * vectors + j] = _mm256_loadu_ps(b + x * n * blocks + 8 * j);
        for (unsigned i = 0; i < m; i++) {
            unsigned reg, lane;
            sg_matrix_place(m, n, block, i, &reg, &lane);
            const float *c = (const float *)&job->v[job->c + reg][lane];
            float *d = (float *)&job->v[job->d + reg][lane];
            for (unsigned j = 0; j < vectors; j++)
                sum[j] = job->c_constant ? _mm256_set1_ps(job->c_value) : _mm256_loadu_ps(c + 8 * j);
            for (unsigned x = 0; x < k; x++) {
                const __m256 factor = _mm256_broadcast_ss(a + x * m * blocks + i);
                for (unsigned j = 0; j < vectors; j++)
                    sum[j] = _mm256_fmadd_ps(factor, factors[x * vectors + j], sum[j]);
            }
            for (unsigned j = 0; j < vectors; j++)
                _mm256_storeu_ps(d + 8 * j, sum[j]);
        }
    }
}

bool sg_matrix_multiply_f32(const struct sg_matrix_job *job)
{
    const struct sg_matrix_shape *s = job->shape;
    if (s->n == 32 && s->k == 2)
        multiply_f32(job, 32, 2);
    else if (s->n == 32 && s->k == 1)
        multiply_f32(job, 32, 1);
    else if (s->n == 16 && s->k == 4)
        multiply_f32(job, 16, 4);
    else if (s->n == 16 && s->k == 1)
        multiply_f32(job, 16, 1);
    else
        return false;
    return true;
}

void sg_matrix_multiply(const struct sg_matrix_job *job, bool tree)
{
    switch (job->shape->n) {
    case 32:
        multiply(job, 32, tree);
        break;
    case 16:
        multiply(job, 16, tree);
        break;
    default:
        multiply(job, 4, tree);
    }
}
