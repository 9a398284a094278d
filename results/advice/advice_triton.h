/* advice_triton.h - advice in the words of Triton and Gluon, for lines of a .py. */
#ifndef RESULTS_ADVICE_TRITON_H
#define RESULTS_ADVICE_TRITON_H

#include <stdio.h>

#include "compiler_words.h"
#include "results/profile/profile.h"

/* Whether who reads the line's advice writes Triton. */
bool ls_triton_line(const struct ls_p_kernel *k, const struct ls_p_line *line);
/* Whether the line is of an atomic, or of the load in the loop around a compare-and-swap that was made of one. */
bool ls_triton_atomic(const struct ls_p_kernel *k, const struct ls_p_line *line);

/* Whether Gluon has a layout for this: rows of `pitch` bytes that are `add` bytes longer (kind "pad"), or whose columns are
 * XORed by the row in units of `unit` bytes ("xor"). Of both all numbers must be powers of two (Triton's
 * PaddedSharedLayout and SwizzledSharedLayout check that). tile: what the layout is of; without a row, the element alone is known. */
bool ls_triton_has_layout(const char *kind, const struct ls_compiler_tile *tile, int64_t pitch, int64_t add,
                          int64_t unit);
/* Write that layout, as one writes it in the source. */
void ls_triton_put_pad(FILE *out, const struct ls_compiler_tile *tile, int64_t pitch, int64_t add);
void ls_triton_put_swizzle(FILE *out, const struct ls_compiler_tile *tile, int64_t pitch, int64_t unit);

/* Writes why Triton did not make one access of `pieces` side by side: which arguments of the kernel ("add<x=*fp32, n=i32,
 * num_warps=4>") it does not know to be divisible by 16, and what one writes then. */
void ls_triton_put_divisibility(FILE *out, const char *kernel, int64_t pieces);

/* Writes what gives each lane one element of a block. */
void ls_triton_put_elements(FILE *out, const char *kernel);

/* An option in such a name, "num_warps"; 0: not there. */
int64_t ls_triton_option(const char *kernel, const char *option);

#endif
