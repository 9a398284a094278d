/*
 * models.h - what one memory access of a wavefront costs on an AMD GPU: bank conflicts of LDS, cache lines and
 * requests of global memory. Needs no GPU and none of Lanescope's other parts; docs/models.md is the introduction.
 *
 *     uint32_t at[64];
 *     for (uint32_t lane = 0; lane < 64; lane++)
 *         at[lane] = lane * 128;
 *     struct lanescope_lds_cost cost = {.size = sizeof cost};
 *     if (!lanescope_lds_cost("gfx942", LANESCOPE_MODEL_READ, 4, ~0ull, at, 64, &cost))
 *         printf("%u of %u cycles are conflicts\n", cost.conflict_cycles, cost.cycles);
 *
 * The functions keep nothing, allocate nothing and may be called from any thread. Members are only ever added at
 * the end of the structures, whose `size` the caller sets: what an older library does not know stays as it was,
 * what an older caller does not have is not written. In C++ the structures need the word `struct`, as `stat` does.
 */
#ifndef LANESCOPE_MODELS_H
#define LANESCOPE_MODELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LANESCOPE_MODELS_API __attribute__((visibility("default")))

/* What the lanes do. */
enum lanescope_model_access {
    LANESCOPE_MODEL_READ = 0,
    LANESCOPE_MODEL_WRITE = 1,
    LANESCOPE_MODEL_ATOMIC = 2,
};

/* What a number rests on. docs/hardware.md names the source of each. */
enum lanescope_model_basis {
    LANESCOPE_MODEL_ASSUMED = 0,    /* what a relative of the GPU does, or nobody has measured it */
    LANESCOPE_MODEL_MEASURED = 1,   /* on that GPU, for that width and direction */
    LANESCOPE_MODEL_DOCUMENTED = 2, /* by the vendor */
};

/* Errors. All are negative; lanescope_models_error tells them in words. */
enum lanescope_model_error {
    LANESCOPE_MODEL_NO_GPU = -1,    /* no GPU of that name is known */
    LANESCOPE_MODEL_NO_MODEL = -2,  /* the GPU is known, but not how it serves such accesses */
    LANESCOPE_MODEL_ACCESS = -3,    /* `access` is none of the three */
    LANESCOPE_MODEL_WIDTH = -4,     /* no instruction has that width */
    LANESCOPE_MODEL_LANES = -5,     /* more addresses, or active lanes, than a wavefront has lanes */
    LANESCOPE_MODEL_NO_LANE = -6,   /* no lane is active, or an active lane has no address */
    LANESCOPE_MODEL_ALIGNMENT = -7, /* an address is not aligned as the hardware demands */
    LANESCOPE_MODEL_RANGE = -8,     /* an access ends beyond LDS, or beyond the address space */
    LANESCOPE_MODEL_ARGUMENT = -9,  /* a pointer is NULL, or a `size` is not that of a structure */
};

/* One LDS instruction. Counters in parentheses are the hardware's. */
struct lanescope_lds_cost {
    size_t size;              /* sizeof(struct lanescope_lds_cost), set by the caller */
    uint32_t cycles;          /* in which LDS serves it (SQ_LDS_IDX_ACTIVE) */
    uint32_t conflict_cycles; /* of these, those lost to bank conflicts (SQ_LDS_BANK_CONFLICT) */
    /* Of atomics, beside `cycles`: lanes that wait for another lane's update of the same dword; always assumed. */
    uint32_t address_conflict_cycles;
    uint32_t phases; /* fewest cycles that an access of this width takes */
    uint32_t banks;
    uint32_t basis; /* enum lanescope_model_basis of cycles, conflict_cycles, phases and banks */
};

/* One global memory instruction. */
struct lanescope_global_cost {
    size_t size;              /* sizeof(struct lanescope_global_cost), set by the caller */
    uint32_t bytes;           /* distinct bytes that the lanes touch */
    uint32_t l1_lines;        /* cache lines of the vector L1 (vL1D) that they touch */
    uint32_t l1_lines_needed; /* that the same bytes would fill side by side */
    uint32_t l2_lines, l2_lines_needed;
    uint32_t requests; /* sectors of 64 bytes that the address unit asks vL1D for, four lanes at a time */
    uint32_t requests_fewest;  /* of a fully coalesced access */
    uint32_t l1_line, l2_line; /* bytes of a line */
    uint32_t lines_basis;      /* enum lanescope_model_basis of the sizes of lines */
    uint32_t requests_basis;   /* of the requests */
    double coalescing; /* percent: 100 * requests_fewest / requests, as ROCm Compute Profiler has it */
};

/*
 * What it costs when the lanes of a wavefront access `bytes` bytes each (1, 2, 4, 8, 12 or 16; atomics: 4 or 8) in
 * LDS. gpu: "gfx942", also with ":feature" suffixes. lanes: bit n says that lane n is active. addresses[lane]: byte
 * offset in LDS, for the first `n` lanes; those of inactive lanes are not looked at. Addresses are multiples of the
 * width up to 4; those of atomics, of the whole width. 0 with *cost, or an error, then *cost is untouched.
 */
LANESCOPE_MODELS_API int lanescope_lds_cost(const char *gpu, enum lanescope_model_access access,
                                            unsigned bytes, uint64_t lanes, const uint32_t *addresses,
                                            size_t n, struct lanescope_lds_cost *cost);
/* The same of global memory, whose addresses may be any, but for atomics. */
LANESCOPE_MODELS_API int lanescope_global_cost(const char *gpu, enum lanescope_model_access access,
                                               unsigned bytes, uint64_t lanes, const uint64_t *addresses,
                                               size_t n, struct lanescope_global_cost *cost);

/* The names of the GPUs that at least one of the two knows; NULL behind the last. */
LANESCOPE_MODELS_API const char *lanescope_models_gpu(size_t i);
/* Lanes of a wavefront; 0: the GPU is not known. */
LANESCOPE_MODELS_API unsigned lanescope_models_lanes(const char *gpu);
/* An error in words, without a line feed; of 0 and unknown numbers, too. Static. */
LANESCOPE_MODELS_API const char *lanescope_models_error(int error);
/* "0.2.0"; static. */
LANESCOPE_MODELS_API const char *lanescope_models_version(void);

#ifdef __cplusplus
}
#endif

#endif
