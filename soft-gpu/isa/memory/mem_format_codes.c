/*
 * mem_format_codes.c - the one number by which gfx10 and later name a data format and a number format together ("RDNA2
 * Instruction Set Architecture" and "RDNA3 Instruction Set Architecture", "Data Formats"; LLVM, SIDefines.h: UfmtGFX10 and
 * UfmtGFX11; images: ROCr, resource_nv.h and resource_gfx11.h).
 */
#include "mem_component.h"

enum {
    NORMS = 1 << SG_NUM_UNORM | 1 << SG_NUM_SNORM,
    SCALED = 1 << SG_NUM_USCALED | 1 << SG_NUM_SSCALED,
    INTS = 1 << SG_NUM_UINT | 1 << SG_NUM_SINT,
    FLOATS = 1 << SG_NUM_FLOAT,
    SRGBS = 1 << SG_NUM_SRGB,
    UNORMS = 1 << SG_NUM_UNORM,
};

/* A data format's number formats have consecutive numbers from `first` on, in the order of enum sg_num_format. */
struct codes {
    uint8_t data, first;
    uint16_t kinds;
};
static const struct codes gfx10_codes[] = {
    {1, 1, NORMS | SCALED | INTS},
    {2, 7, NORMS | SCALED | INTS | FLOATS},
    {3, 14, NORMS | SCALED | INTS},
    {4, 20, INTS | FLOATS},
    {5, 23, NORMS | SCALED | INTS | FLOATS},
    {6, 30, NORMS | SCALED | INTS | FLOATS},
    {7, 37, NORMS | SCALED | INTS | FLOATS},
    {8, 44, NORMS | SCALED | INTS},
    {9, 50, NORMS | SCALED | INTS},
    {10, 56, NORMS | SCALED | INTS},
    {11, 62, INTS | FLOATS},
    {12, 65, NORMS | SCALED | INTS | FLOATS},
    {13, 72, INTS | FLOATS},
    {14, 75, INTS | FLOATS},
    {1, 128, SRGBS},
    {3, 129, SRGBS},
    {10, 130, SRGBS},
    {16, 133, UNORMS},
    {17, 134, UNORMS},
    {18, 135, UNORMS},
};
static const struct codes gfx11_codes[] = {
    {1, 1, NORMS | SCALED | INTS},
    {2, 7, NORMS | SCALED | INTS | FLOATS},
    {3, 14, NORMS | SCALED | INTS},
    {4, 20, INTS | FLOATS},
    {5, 23, NORMS | SCALED | INTS | FLOATS},
    {6, 30, FLOATS},
    {7, 31, FLOATS},
    {8, 32, NORMS | INTS},
    {9, 36, NORMS | SCALED | INTS},
    {10, 42, NORMS | SCALED | INTS},
    {11, 48, INTS | FLOATS},
    {12, 51, NORMS | SCALED | INTS | FLOATS},
    {13, 58, INTS | FLOATS},
    {14, 61, INTS | FLOATS},
    {1, 64, SRGBS},
    {3, 65, SRGBS},
    {10, 66, SRGBS},
    {16, 68, UNORMS},
    {17, 69, UNORMS},
    {18, 70, UNORMS},
};

/* Of one data format. */
static bool number_of(const struct codes *c, unsigned code, unsigned *num)
{
    unsigned at = c->first;
    for (*num = 0; *num <= SG_NUM_SRGB; ++*num)
        if (c->kinds >> *num & 1 && at++ == code)
            return true;
    return false;
}

bool sg_format_of_code(const struct ls_gpu *gpu, unsigned code, unsigned *data, unsigned *num)
{
    static const struct {
        uint32_t gpus; /* enum ls_gpu_isa, several */
        const struct codes *codes;
        size_t n;
    } all[] = {{LS_GPU_ISA_GFX1030, gfx10_codes, sizeof gfx10_codes / sizeof gfx10_codes[0]},
               {LS_GPU_ISA_GFX1100 | LS_GPU_ISA_GFX1150 | LS_GPU_ISA_GFX1200, gfx11_codes,
                sizeof gfx11_codes / sizeof gfx11_codes[0]}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        for (size_t i = 0; gpu->isa & all[k].gpus && i < all[k].n; i++)
            if (number_of(&all[k].codes[i], code, num)) {
                *data = all[k].codes[i].data;
                return true;
            }
    *data = *num = 0;
    return false;
}
