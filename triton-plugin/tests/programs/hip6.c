/* hip6.c - stands between Triton 3.3 and newer, which ask for a HIP of version 6, and HIP 5.2.3, which can do what they need on
 * gfx90a. Its file is called libamdhip64.so, for Triton wants that name in TRITON_LIBHIP_PATH; it is linked with the real one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

enum { NOT_SUPPORTED = 801, NOT_FOUND = 500 }; /* hipError_t */

/* `lanescope run` looks here which GPUs a library of this name knows. */
__attribute__((used)) static const char gpus[] = "gfx90a";

static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

int hipDriverGetVersion(int *version)
{
    *version = 60200000;
    return 0;
}

int hipModuleLaunchCooperativeKernel(void)
{
    return NOT_SUPPORTED;
}

/* The fields that Triton reads, from where HIP 5 has them (hipDeviceProp_tR0000) to where HIP 6 has (R0600, 1472 bytes). */
static int properties(unsigned char *new, int device)
{
    unsigned char old[4096] = {0};
    int (*get)(void *, int) = (int (*)(void *, int))real("hipGetDeviceProperties");
    int error = get(old, device);
    memset(new, 0, 1472);
    memcpy(new + 296, old + 264, 8);    /* sharedMemPerBlock */
    memcpy(new + 308, old + 276, 4);    /* warpSize */
    memcpy(new + 1160, old + 396, 256); /* gcnArchName */
    return error;
}

/* HIP 5.2.3's comgr refuses code object version 5 by the byte that tells it in the ELF header (2 is version 4). Without hidden
 * arguments, which Triton's kernels have not, the two are alike to the runtime. */
int hipModuleLoadDataEx(void **module, unsigned char *image, unsigned n, void *options, void **values)
{
    enum { EI_ABIVERSION = 8, VERSION_4 = 2, VERSION_5 = 3 };
    int (*load)(void **, const void *, unsigned, void *, void **) =
        (int (*)(void **, const void *, unsigned, void *, void **))real("hipModuleLoadDataEx");
    if (image[EI_ABIVERSION] == VERSION_5)
        image[EI_ABIVERSION] = VERSION_4;
    return load(module, image, n, options, values);
}

int hipGetProcAddress(const char *name, void **function, int version, uint64_t flags, void *status)
{
    (void)version;
    (void)flags;
    (void)status;
    *function = !strcmp(name, "hipGetDeviceProperties")             ? (void *)properties
                : !strcmp(name, "hipModuleLoadDataEx")              ? (void *)hipModuleLoadDataEx
                : !strcmp(name, "hipModuleLaunchCooperativeKernel") ? (void *)hipModuleLaunchCooperativeKernel
                                                                    : real(name);
    return *function ? 0 : NOT_FOUND;
}
