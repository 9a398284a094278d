/*
 * valu_matrix.h - matrix operands as the kernels of valu_mfma*.c see them: unpacked from rows into
 * A[k][block*M + i] and B[k][block*N + j].
 *
 * Register layout (agrees with AMD's matrix instruction calculator for all dense shapes of CDNA2 and CDNA3):
 * with e = K * M * blocks / 64 elements per lane, A[i][k] of block b lies in lane M*(b + blocks*(k/e)) + i as
 * element k%e, packed low first in consecutive registers; B likewise with N. So the 64 lanes of one element
 * number fall into 64/(M*blocks) runs, and each run is one row of the unpacked matrix.
 */
#ifndef SOFT_GPU_ISA_VALU_MATRIX_H
#define SOFT_GPU_ISA_VALU_MATRIX_H

#include "soft-gpu/isa/vector/valu.h"

enum sg_element {
    SG_EL_F32,
    SG_EL_F64,
    SG_EL_XF32,
    SG_EL_F16,
    SG_EL_BF16,
    SG_EL_I8,
    SG_EL_FP8, /* OCP or FNUZ by target */
    SG_EL_BF8,
    SG_EL_FP8_FNUZ,
    SG_EL_BF8_FNUZ,
    SG_EL_FP6,
    SG_EL_BF6,
    SG_EL_FP4,
};

enum {
    SG_MATRIX_MAX = 128 * 32
}; /* elements of the largest dense operand: 16 x 128 or 64 x 32, with sparse B */

enum sg_matrix_kind { SG_MATRIX_DENSE, SG_MATRIX_SPARSE, SG_MATRIX_F8F6F4, SG_MATRIX_SCALED };

struct sg_matrix_shape {
    uint16_t op;
    uint8_t m, n, k, blocks;
    uint8_t a, b;  /* enum sg_element */
    uint8_t kind;  /* enum sg_matrix_kind */
    uint8_t group; /* products summed before they meet the accumulator; 1: a chain of fused multiply-adds */
};

/* Where row i of block `block` of C and D begins, an M x N result of 32-bit numbers: register and lane
 * (valu_matrix.c). */
static inline void sg_matrix_place(unsigned m, unsigned n, unsigned block, unsigned i, unsigned *reg,
                                   unsigned *lane)
{
    const unsigned q = 64 / n;
    *reg = n == 4 ? i : block * (m * n / 64) + 4 * (i / (4 * q)) + i % 4;
    *lane = n == 4 ? 4 * block : n * (i / 4 % q);
}

/* Unpacks `elements` per lane from row `row` on; `width` = M*blocks or N*blocks, the lanes of one run.
 * `lanes`: the lane that each lane reads (BLGP), NULL for its own. `flush`: denormals become 0. */
void sg_matrix_unpack(float *out, sg_rows v, unsigned row, enum sg_element el, unsigned elements,
                      unsigned width, const uint8_t *lanes, bool flush);
void sg_matrix_unpack_i8(int32_t *out, sg_rows v, unsigned row, unsigned elements, unsigned width,
                         const uint8_t *lanes);

/* What a kernel needs beside the unpacked operands. */
struct sg_matrix_job {
    const struct sg_matrix_shape *shape;
    const float *a, *b;
    sg_rows v;
    unsigned d, c;   /* rows */
    bool c_constant; /* c holds nothing: every element of C is c_value */
    float c_value;
    unsigned cbsz, abid;
};
/* D = A * B + C for f32 results.
 * `tree`: groups are summed pairwise in f32, each step rounded, as CDNA2 does. */
void sg_matrix_multiply(const struct sg_matrix_job *job, bool tree);
/* The same with the roundings of the hardware, as far as they are known: CDNA2's or CDNA3's. For narrow dense
 * operands, unpacked without flushing, of the types a and b (for this target). Slow. */
void sg_matrix_multiply_exact(const struct sg_matrix_job *job, enum sg_element a, enum sg_element b,
                              bool cdna2);
/* sg_matrix_multiply for square shapes of f32 operands of one register each, without CBSZ. a and b may lie in
 * registers other than D's. False: there is none such, nothing was done. */
bool sg_matrix_multiply_f32(const struct sg_matrix_job *job);

/* Append a matrix product of CDNA or of RDNA, or a conversion with a block scale (uop.h). */
bool sg_build_mfma(struct sg_builder *b, const struct gcn_inst *in);
bool sg_build_wmma(struct sg_builder *b, const struct gcn_inst *in);
bool sg_build_wmma_gfx12(struct sg_builder *b, const struct gcn_inst *in); /* of sg_build_wmma */
bool sg_build_scaled(struct sg_builder *b, const struct gcn_inst *in);

#endif
