/* A library with a function of HIP's name that is none of HIP's, and (with -DPROGRAM) who asks dlsym for it. */
#ifndef PROGRAM
double hipMemset(double a, double b, int c)
{
    return a * b + c;
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *lib = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    double (*f)(double, double, int) = lib ? (double (*)(double, double, int))dlsym(lib, "hipMemset") : NULL;
    printf("%g\n", f ? f(2, 3, 4) : -1);
    return 0;
}
#endif
