/* With -DHIP a HIP of three functions, which tell the stream that the preloaded library knows; with -DPLUGIN a library that is
 * linked with it; else a program that opens the latter for itself alone, and counts how often somebody asks dlopen for more. */
#include <stdint.h>
#include <stdio.h>

int hipStreamCreate(void **s);
int hipStreamDestroy(void *s);
int hipMemsetAsync(void *to, int value, unsigned long n, void *s);

#if defined(HIP)
#define _GNU_SOURCE
#include <dlfcn.h>

struct ls_stream {
    int kind;
    int64_t number;
};
static char made;

int hipStreamCreate(void **s)
{
    *s = &made;
    return 0;
}

/* The first time it fails. */
int hipStreamDestroy(void *s)
{
    static int times;
    (void)s;
    return times++ ? 0 : 1;
}

int hipMemsetAsync(void *to, int value, unsigned long n, void *s)
{
    struct ls_stream (*ask)(void) =
        (struct ls_stream (*)(void))dlsym(RTLD_DEFAULT, "lanescope_preload_stream");
    (void)to, (void)n, (void)s;
    if (value)
        printf("stream %d\n", ask ? (int)ask().number : -1);
    return 0;
}
#elif defined(PLUGIN)
int entry(void)
{
    void *s;
    hipStreamCreate(&s);
    for (int i = 0; i < 1000; i++)
        hipMemsetAsync(0, i == 0, 0, s);
    printf("destroyed: %d\n", hipStreamDestroy(s));
    hipMemsetAsync(0, 1, 0, s);
    printf("destroyed: %d\n", hipStreamDestroy(s));
    hipStreamCreate(&s);
    hipMemsetAsync(0, 1, 0, s);
    return 0;
}
#else
#define _GNU_SOURCE
#include <dlfcn.h>

static int asked;

/* In front of the C library's, for the preloaded library as well. */
void *dlopen(const char *path, int flags)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    asked++;
    return next(path, flags);
}

int main(int argc, char **argv)
{
    void *lib = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*entry)(void) = lib ? (int (*)(void))dlsym(lib, "entry") : NULL;
    asked = 0;
    int rc = entry ? entry() : 1;
    printf("few questions: %d\n", asked < 20);
    return rc;
}
#endif
