/*
 * list-gpus.c - names from the table of GPUs, for the build, which needs them before it compiles anything.
 *
 *     list-gpus all|emulated|sets|ready
 *
 * Prints all GPUs; those that the software GPU can run; the first of them of each instruction set; those for which
 * the compiler plugin takes machine code of the device library with it. With semicolons between them, as
 * CMake's lists.
 */
#include <stdio.h>
#include <string.h>
#include "../table.h"

static void print(const char *name)
{
    static bool more;
    printf("%s%s", more ? ";" : "", name);
    more = true;
}

static void print_emulated(bool one_of_each_set)
{
    const struct ls_gpu *gpu;
    unsigned seen = 0;
    for (size_t i = 0; (gpu = ls_gpu_emulated_at(i)); i++) {
        if (!one_of_each_set || !(seen & gpu->isa))
            print(gpu->name);
        seen |= gpu->isa;
    }
}

static void print_ready(void)
{
    for (size_t i = 0; i < ls_n_gpu_families; i++)
        if (ls_gpu_families[i].ready)
            print(ls_gpu_families[i].ready);
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (!strcmp(what, "all")) {
        for (size_t i = 0; i < ls_n_gpus; i++)
            print(ls_gpus[i].name);
    } else if (!strcmp(what, "emulated") || !strcmp(what, "sets")) {
        print_emulated(!strcmp(what, "sets"));
    } else if (!strcmp(what, "ready")) {
        print_ready();
    } else {
        fputs("Usage: list-gpus all|emulated|sets|ready\n", stderr);
        return 2;
    }
    return 0;
}
