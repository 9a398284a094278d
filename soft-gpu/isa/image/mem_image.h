/*
 * mem_image.h - image instructions (MIMG): resource and sampler descriptors as the handlers use them, where
 * texels lie, and what a texel's bits mean. gfx90a, gfx10, gfx11 and gfx12; CDNA3 and CDNA4 have no images.
 *
 * Sources: AMD "Vega" ISA guide, sections on vector memory image instructions, image resource (T#) and image
 * sampler (S#), the same of the "RDNA2" and "RDNA3" guides; the descriptors that ROCr's image library fills (resource_ai.h,
 * resource_nv.h, resource_gfx11.h and resource_gfx12.h name every field), and its address library for layouts. What ROCr cannot make is refused with its name, see sg_image_describe.
 */
#ifndef SOFT_GPU_ISA_MEM_IMAGE_H
#define SOFT_GPU_ISA_MEM_IMAGE_H

#include "soft-gpu/isa/memory/mem_component.h"

enum {
    SG_IMAGE_WORDS = 8,
    SG_SAMPLER_WORDS = 4,
    SG_TEXEL_BYTES = 16, /* of the widest format */
    SG_IMAGE_WHY = 128,
};

enum sg_image_type {
    SG_IMAGE_1D = 8,
    SG_IMAGE_2D = 9,
    SG_IMAGE_3D = 10,
    SG_IMAGE_1D_ARRAY = 12,
    SG_IMAGE_2D_ARRAY = 13,
};

/* Destination select of the descriptor: which component, or a constant, a register shows. */
enum { SG_SELECT_0 = 0, SG_SELECT_1 = 1, SG_SELECT_X = 4 };

/* A surface's place in memory. Inside a block the address is linear in the bits of the coordinates (exclusive
 * or), so it is looked up by their low and high seven bits. */
struct sg_layout {
    uint32_t pitch, slice_texels; /* linear: texels from row to row, from slice to slice */
    uint8_t texel_log2;           /* of the bytes of a texel */
    uint8_t block_log2;           /* of a block's bytes; 0: linear */
    uint8_t block_bits[3];        /* log2 of a block's width, height, depth */
    uint32_t row_blocks, slice_blocks;
    uint32_t low[3][128], high[3][128];
};

struct sg_image {
    const struct ls_gpu *gpu;
    uint32_t words[SG_IMAGE_WORDS];
    uint64_t base;
    enum sg_image_type type;
    bool array;
    uint8_t n_coord;      /* without the slice of an array */
    uint32_t size[3];     /* width, height, and depth or slices that the view shows */
    uint32_t first_slice; /* of the view */
    uint8_t num, bytes;   /* enum sg_num_format; of a texel */
    uint8_t width[4];     /* bits of X, Y, Z, W */
    uint8_t select[4];
    uint8_t alpha; /* the component that holds alpha in border colours */
    struct sg_layout layout;
};

/* How the places inside a block follow from the coordinates: each of their bits changes some bits of the address. */
enum { SG_COORDINATE_BITS = 14 };
struct sg_layout_pattern {
    uint8_t block_log2;
    bool thick; /* a block has several slices */
    uint32_t of_bit[3][SG_COORDINATE_BITS];
};
/* image_layout_rdna.c: that of gfx10 to gfx12 for SW_MODE `mode`, not linear. False: there is no such mode here. */
bool sg_layout_pattern(const struct ls_gpu *gpu, unsigned mode, bool volume, unsigned texel_log2,
                       struct sg_layout_pattern *p);

/* image_layout.c: fills *l for SW_MODE `mode` ("swizzle mode") on a GPU with a card; extents are the surface's, in texels.
 * False: there is no such mode for the dimensions. */
bool sg_layout_describe(struct sg_layout *l, const struct ls_gpu *gpu, unsigned mode, enum sg_image_type type,
                        unsigned texel_log2, uint32_t pitch, uint32_t height);
/* Bytes from the surface's start to a texel. */
static inline uint64_t sg_layout_offset(const struct sg_layout *l, uint32_t x, uint32_t y, uint32_t z)
{
    if (!l->block_log2)
        return ((uint64_t)z * l->slice_texels + (uint64_t)y * l->pitch + x) << l->texel_log2;
    uint64_t block = (uint64_t)(z >> l->block_bits[2]) * l->slice_blocks +
                     (uint64_t)(y >> l->block_bits[1]) * l->row_blocks + (x >> l->block_bits[0]);
    uint32_t inside = l->low[0][x & 127] ^ l->high[0][x >> 7 & 127] ^ l->low[1][y & 127] ^
                      l->high[1][y >> 7 & 127] ^ l->low[2][z & 127] ^ l->high[2][z >> 7 & 127];
    return block << l->block_log2 | inside;
}

/* image_describe.c: a T#. The result lives until the same thread asks for some other images. NULL: not
 * supported, `why` says what. */
const struct sg_image *sg_image_describe(const uint32_t words[SG_IMAGE_WORDS], const struct ls_gpu *gpu,
                                         char why[SG_IMAGE_WHY]);

/* image_describe.c: registers' view (after destination select) of a texel's X, Y, Z, W. */
void sg_image_select(const struct sg_image *im, const uint32_t component[4], uint32_t out[4]);
/* X, Y, Z, W of a texel: f32 bits, or integers; what the format lacks is 0, 0, 0, 1. */
void sg_image_decode(const struct sg_image *im, const uint32_t texel[SG_TEXEL_BYTES / 4 + 1],
                     uint32_t component[4]);
/* The texel that a store of registers' components makes. False: the format cannot be stored. */
bool sg_image_encode(const struct sg_image *im, const uint32_t value[4],
                     uint32_t texel[SG_TEXEL_BYTES / 4 + 1]);

/* How one coordinate of a sample is treated. */
enum sg_wrap { SG_WRAP, SG_MIRROR, SG_CLAMP, SG_MIRROR_ONCE, SG_CLAMP_BORDER = 6, SG_MIRROR_ONCE_BORDER };

struct sg_sampler {
    uint8_t wrap[3]; /* enum sg_wrap */
    bool normalised, truncate, linear, linear_z;
    uint8_t border; /* 0 transparent black, 1 opaque black, 2 opaque white */
};
/* image_sample.c: an S#. False: not supported, `why` says what. */
bool sg_sampler_describe(const uint32_t words[SG_SAMPLER_WORDS], struct sg_sampler *sampler,
                         char why[SG_IMAGE_WHY]);

/* The texels that one sample is made of, and their weights. */
struct sg_taps {
    unsigned n;
    struct {
        int32_t at[3]; /* -1 in any: border */
        double weight;
    } tap[8];
};
/* `coord`: x, y, and z or slice as the instruction has them. */
void sg_sample_taps(const struct sg_image *im, const struct sg_sampler *sampler, const float coord[3],
                    struct sg_taps *taps);
/* Where the four texels of a gather lie, in its order; -1 in any: border. */
void sg_gather_places(const struct sg_image *im, const struct sg_sampler *sampler, const float coord[3],
                      int32_t at[4][3]);
/* X, Y, Z, W of the border. */
void sg_border_color(const struct sg_image *im, const struct sg_sampler *sampler, uint32_t component[4]);

/* The accesses of an instruction: of a sample up to eight per lane, of others one. */
enum { SG_IMAGE_TAPS = 8 };
struct sg_image_noted {
    uint64_t exec[SG_IMAGE_TAPS], va[SG_IMAGE_TAPS][SG_MAX_LANES];
    bool has_data; /* of a store: `data` is set */
    uint8_t data[SG_MAX_LANES][SG_TEXEL_BYTES];
};
void sg_image_note(struct sg_image_noted *n, unsigned part, unsigned lane, uint64_t va);
/* image_observe.c: for the access log and the check, before the accesses are made. */
void sg_image_observe(struct sg_wave *w, const struct sg_uop *u, const struct sg_image_noted *n,
                      enum sg_access_kind kind, unsigned bytes);

/* Handlers. d: first data row of results, a: first address row, b: first data row of stores and atomics,
 * c: scalar index of the T#, x: of the S#, imm: dmask, flags: below. */
enum {
    SG_IMG_MIP = 1 << 0,    /* the last address component is a mip level */
    SG_IMG_RAW = 1 << 1,    /* no format conversion (_pck) */
    SG_IMG_SIGNED = 1 << 2, /* _pck_sgn */
    SG_IMG_D16 = 1 << 3,
    SG_IMG_A16 = 1 << 4,
    SG_IMG_UNRM = 1 << 5,
    SG_IMG_DA = 1 << 6, /* the address has a slice */
    SG_IMG_LWE = 1 << 7,
    SG_IMG_RETURN = 1 << 8, /* atomics: old value to d */
    SG_IMG_LOG = 1 << 9,
    SG_IMG_CHECK = 1 << 10,
    SG_IMG_OBSERVED = SG_IMG_LOG | SG_IMG_CHECK,
    SG_IMG_BY_DIM = 1 << 11, /* gfx10 on: an enum gcn_dim, 3 bits, says what the address has */
    SG_IMG_DIM_SHIFT = 12,
    SG_IMG_OP_SHIFT = 16, /* enum sg_atomic_op */
};
int sg_image_load(SG_ARGS);
int sg_image_store(SG_ARGS);
int sg_image_sample(SG_ARGS);
int sg_image_gather(SG_ARGS);
int sg_image_atomic(SG_ARGS);
int sg_image_resinfo(SG_ARGS);

/* Appends an instruction of the format MIMG (uop.h). */
bool sg_build_image(struct sg_builder *b, const struct gcn_inst *in);

#endif
