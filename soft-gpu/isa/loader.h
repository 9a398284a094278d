/*
 * loader.h - runs kernels of an AMDGPU code object file on the ISA engine without ROCr: for tests and sg-run.
 *
 * What ROCr does in the full stack is done here in its smallest form: load the segments, relocate, make a
 * kernarg block with the hidden arguments of code object version 5, an AQL packet and scratch memory, and
 * wait.
 */
#ifndef SOFT_GPU_ISA_LOADER_H
#define SOFT_GPU_ISA_LOADER_H

#include "engine.h"

/* An engine with its own address map. */
struct sg_device;
/* Of the configuration, mem is the device's own; ops, check and the rest are taken as they are.
 * NULL on failure with *why set. */
struct sg_device *sg_device_create(const struct sg_engine_config *config, const char **why);
void sg_device_destroy(struct sg_device *d);
struct sg_engine *sg_device_engine(struct sg_device *d);

/* Memory that kernels may access; host address and GPU address are equal. Zeroed. NULL when out of memory.
 * Freed with the device. */
void *sg_device_alloc(struct sg_device *d, size_t bytes);
/* The same, of memory that no L2 keeps, as that of the host: with weak memory it makes a difference. */
void *sg_device_alloc_uncached(struct sg_device *d, size_t bytes);

/* Executable memory with these instructions at a GPU address of the caller's choice, a multiple of the page size where
 * nothing else is. False when that cannot be had. */
bool sg_device_place_code(struct sg_device *d, uint64_t va, const uint32_t *words, size_t n);

struct sg_object;
/* Loads the ELF file. NULL on failure; then `why` (size bytes) names the cause. Belongs to the device. */
struct sg_object *sg_object_load(struct sg_device *d, const char *path, char *why, size_t size);
/* Address and size of a symbol of the object, e.g. a __device__ variable. 0 when there is none. */
uint64_t sg_object_symbol(const struct sg_object *o, const char *name, uint64_t *size);
/* Calls `each` with the name of every kernel (without ".kd"). */
void sg_object_kernels(const struct sg_object *o, void (*each)(void *user, const char *name), void *user);

struct sg_launch {
    const char *kernel;
    uint32_t grid[3]; /* work-items; 0 counts as 1 */
    uint16_t workgroup[3];
    uint32_t dynamic_lds;
    const void *arguments; /* explicit kernel arguments as laid out by the ABI */
    size_t argument_bytes;
    bool masked; /* runs on the compute units of `units` only */
    uint32_t units[SG_UNIT_WORDS];
};
/* Runs one kernel and waits. 0, or -1 with *fault filled (kind SG_FAULT_RESOURCES and a message when the
 * kernel does not exist). */
int sg_object_launch(struct sg_device *d, struct sg_object *o, const struct sg_launch *l,
                     struct sg_fault *fault);

#endif
