/*
 * lanescope-selftest PART [GPU-NUMBER]: runs one part of the self-test on the GPU, and prints its JSON object on one
 * line. `lanescope selftest` starts it for each part, so that a part which hangs or crashes harms no other.
 */
#include "parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    const char *name;
    void (*run)(struct gpu *g, json_t *part);
};

static const struct part parts[] = {
    {"identity", part_identity},
    {"atomics", part_atomics},
    {"rates", part_rates},
    {"clocks", part_clocks},
    {"ring", part_ring},
    {"slow-ring", part_slow_ring},
    {"fast-ring", part_fast_ring},
    {"launches", part_launches},
    {"many-launches", part_many_launches},
    {"hip", part_hip},
    {"lds", part_lds},
    {"coalescing", part_coalescing},
    {"counters", part_counters},
};
enum { N_PARTS = sizeof parts / sizeof parts[0] };

void problem(json_t *part, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(json_object_get(part, "problems"), json_string(text));
}

static void print_line(json_t *o)
{
    json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(o);
}

void part_at(const char *what)
{
    print_line(json_pack("{s:s}", "at", what));
    fflush(stdout);
}

static const struct part *find(const char *name)
{
    for (unsigned i = 0; i < N_PARTS; i++)
        if (!strcmp(parts[i].name, name))
            return &parts[i];
    return NULL;
}

int main(int argc, char **argv)
{
    struct gpu gpu;
    const struct part *part = argc > 1 ? find(argv[1]) : NULL;
    if (!part) {
        fputs("lanescope-selftest: no such part; `lanescope selftest` starts this program\n", stderr);
        return 2;
    }
    json_t *o = json_pack("{s:s, s:[]}", "part", part->name, "problems");
    if (!o)
        return 1;
    if (gpu_open(&gpu, argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0))
        part->run(&gpu, o);
    else
        problem(o, "%s", gpu.problem);
    print_line(o);
    bool told = !fflush(stdout); /* before what may hang, after a kernel that does */
    gpu_close(&gpu);
    return told ? 0 : 1;
}
