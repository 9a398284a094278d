/*
 * narrow.c - makes a program take those versions of the vector handlers that do without AVX-512, on any processor.
 *
 * The compiler's resolvers ask __cpu_indicator_init what the processor can, and look into __cpu_features2 then (libgcc, of which
 * GCC's documents say so at __builtin_cpu_init; a feature's number is its place in LLVM's X86TargetParser). Programs are linked
 * with --wrap=__cpu_indicator_init, so the answer passes through here.
 */
#include <stdio.h>
#include <unistd.h>

enum { FIRST = 32, X86_64_V4 = 98 }; /* __cpu_features2 begins with feature 32 */

extern unsigned __cpu_features2[];
int __real___cpu_indicator_init(void);
int __wrap___cpu_indicator_init(void);

static int asked;

int __wrap___cpu_indicator_init(void)
{
    const int result = __real___cpu_indicator_init();
    __cpu_features2[(X86_64_V4 - FIRST) / 32] &= ~(1u << X86_64_V4 % 32);
    asked = 1;
    return result;
}

/* Where no resolver has asked, the wide versions were compared once more. */
__attribute__((destructor)) static void check(void)
{
    if (asked && !__builtin_cpu_supports("x86-64-v4"))
        return;
    fputs("narrow.c: the wide handlers were taken\n", stderr);
    _exit(1);
}
