/* loader.c - a code object as the software GPU's own loader reads it; its first kernel is not run. */
#include "fuzz.h"
#include "loader.h"

static void name(void *user, const char *kernel)
{
    (void)user, (void)kernel;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *why;
    char text[256];
    struct sg_engine_config config = {.arch = ls_gpu_find_emulated("gfx90a"), .threads = 1};
    struct sg_device *d = sg_device_create(&config, &why);
    struct sg_object *o = d ? sg_object_load(d, fuzz_file(data, size), text, sizeof text) : NULL;
    if (o) {
        sg_object_kernels(o, name, NULL);
        sg_object_symbol(o, "k", NULL);
    }
    sg_device_destroy(d);
    return 0;
}
