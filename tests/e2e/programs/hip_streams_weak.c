/* No HIP, but code that would use it where it is there: a weak reference, and dlsym. Then, with a library that is linked with
 * HIP as argument, its function `entry`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

extern int hipLaunchKernel(void) __attribute__((weak));
extern int hipMemcpy(void) __attribute__((weak));

int main(int argc, char **argv)
{
    printf("%d %d %d %d %d\n", hipLaunchKernel != NULL, hipMemcpy != NULL,
           dlsym(RTLD_DEFAULT, "hipLaunchKernel") != NULL, dlsym(RTLD_NEXT, "hipStreamCreate") != NULL,
           dlsym(dlopen(NULL, RTLD_LAZY), "hipMemcpyAsync") != NULL);
    void *lib = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*entry)(void) = lib ? (int (*)(void))dlsym(lib, "_Z5entryv") : NULL;
    return entry ? entry() : argc > 1;
}
