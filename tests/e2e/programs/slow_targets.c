/*
 * slow_targets.c - preloaded: the first registration of LLVM's targets takes long, and whoever else comes meanwhile is told of.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int inside, calls;

void LLVMInitializeAMDGPUTargetInfo(void)
{
    Dl_info where;
    void *lib =
        dladdr(__builtin_return_address(0), &where) ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void (*next)(void) = (void (*)(void))dlsym(lib ? lib : RTLD_NEXT, "LLVMInitializeAMDGPUTargetInfo");
    int others = atomic_fetch_add(&inside, 1), before = atomic_fetch_add(&calls, 1);
    FILE *told = fopen(getenv("SLOW_TARGETS_LOG"), "a");
    fprintf(told, "%s\n", others ? "together" : "alone");
    fclose(told);
    if (!before)
        usleep(500000);
    if (next)
        next();
    atomic_fetch_sub(&inside, 1);
}
