/* Opens HIP, asks its version, and closes it, as programs do that find it too old; so often as it is told. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; i--) {
        void *hip = dlopen("libamdhip64.so", RTLD_LAZY | RTLD_LOCAL);
        int (*version)(int *) = hip ? (int (*)(int *))dlsym(hip, "hipDriverGetVersion") : NULL;
        int n;
        if (!version || version(&n) || dlclose(hip))
            return 1;
        puts("closed");
    }
    return 0;
}
