/*
 * machine_code.c - code that no compiler wrote, on the software GPU: it ends, faults or is stopped, and
 * touches no byte but of its registers, its LDS and what is mapped for it. The first byte chooses the GPU.
 * The rest is instructions; the corpus holds those of real kernels, which are mutated.
 */
#include "engine.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { ARENA = 1 << 16, GPU_ADDRESS = 1 << 20, LDS = 4096, JUMPS = 64 };

/* Scalar registers in pairs are addresses in the middle of the arena, vector registers small numbers. */
static void fill(struct sg_wave_image *w, uint8_t *lds)
{
    memset(w, 0, sizeof *w);
    for (unsigned i = 0; i < 102; i += 2)
        w->s[i] = GPU_ADDRESS + ARENA / 2;
    for (unsigned lane = 0; lane < 64; lane++)
        for (unsigned i = 0; i < 512; i++)
            w->v[i][lane] = i % 4 == 0 ? lane * 4 : i % 4 == 1 ? 0 : lane;
    memset(lds, 0, LDS);
    w->s[126] = w->s[127] = ~0u;
    w->s[124] = LDS;
    w->mode = 0xf0;
    w->lds = lds;
    w->lds_bytes = LDS;
    w->max_jumps = JUMPS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sg_wave_image image;
    struct fuzz_input in = {data, size};
    const struct ls_gpu *arch = ls_gpu_emulated_at(fuzz_take(&in, 1) % 3);
    size_t n = in.size / 4 < 4096 ? in.size / 4 : 4096;
    uint32_t *words = malloc(n * 4 + 1);
    uint8_t *arena = aligned_alloc(4096, ARENA),
            *lds = malloc(LDS); /* of their own: the sanitizer sees what lies beside */
    struct sg_mem *mem = sg_mem_create();
    struct sg_fault fault;
    if (!words || !arena || !lds || !mem ||
        sg_mem_map(mem, GPU_ADDRESS, ARENA, arena, SG_RANGE_READ | SG_RANGE_WRITE))
        abort();
    memset(arena, 0, ARENA);
    memcpy(words, in.data, n * 4);
    fill(&image, lds);
    sg_engine_exec_raw(arch, mem, words, n, &image, &fault);
    sg_mem_destroy(mem);
    free(lds);
    free(arena);
    free(words);
    return 0;
}
