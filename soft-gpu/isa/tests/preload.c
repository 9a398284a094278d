/*
 * preload.c - kernel arguments that the command processor puts into SGPRs (LLVM AMDGPUUsage, "Preloaded
 * Kernel Arguments"). Arguments: the directory with the code objects of preload.cmake, and each GPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "../loader.h"

static const char *directory;
static char **arches; /* NULL behind the last */
enum { GROUPS = 3 };

static struct sg_device *open_device(const char *arch, const char *file, struct sg_object **object)
{
    char path[1024], why[256];
    const char *cause;
    struct sg_engine_config c = {.arch = ls_gpu_find_emulated(arch), .threads = 1, .poison = true, .seed = 7};
    struct sg_device *d = sg_device_create(&c, &cause);
    assert_non_null(d);
    snprintf(path, sizeof path, "%s/%s-%s.co", directory, file, arch);
    *object = sg_object_load(d, path, why, sizeof why);
    if (!*object)
        fail_msg("%s", why);
    return d;
}

static void run(struct sg_device *d, struct sg_object *o, const char *kernel, const void *arguments,
                size_t bytes)
{
    struct sg_fault fault;
    struct sg_launch l = {.kernel = kernel,
                          .grid = {64 * GROUPS},
                          .workgroup = {64},
                          .arguments = arguments,
                          .argument_bytes = bytes};
    if (sg_object_launch(d, o, &l, &fault))
        fail_msg("%s: %s (%s)", kernel, fault.message, fault.instruction);
}

/* The trap at the entry is not run, and the dwords 2 to 5 of the arguments are in s4 to s7. */
static void test_by_hand(void **state)
{
    (void)state;
    for (unsigned a = 0; arches[a]; a++) {
        struct sg_object *o;
        struct sg_device *d = open_device(arches[a], "preload", &o);
        uint32_t *out = sg_device_alloc(d, 4096);
        struct {
            uint32_t *out;
            uint32_t value[4];
        } arguments = {out, {0x11111111, 0x22222222, 0x33333333, 0x44444444}};
        run(d, o, "preload", &arguments, sizeof arguments);
        for (unsigned g = 0; g < GROUPS; g++) {
            assert_memory_equal(out + 5 * g, arguments.value, sizeof arguments.value);
            assert_int_equal(out[5 * g + 4], g);
        }
        sg_device_destroy(d);
    }
}

static void test_compiled(void **state)
{
    (void)state;
    for (unsigned a = 0; arches[a]; a++) {
        struct sg_object *o;
        struct sg_device *d = open_device(arches[a], "preload-compiled", &o);
        uint32_t *out = sg_device_alloc(d, 4096);
        struct {
            uint32_t *out;
            uint32_t a;
            uint64_t b;
            uint16_t c, d;
            uint32_t e;
        } arguments = {out, 0xabcd1234, 0x0123456789abcdef, 0x1357, 0x2468, 0xfeedf00d};
        run(d, o, "compiled", &arguments, sizeof arguments);
        for (unsigned g = 0; g < GROUPS; g++) {
            uint32_t expected[7] = {0xabcd1234, 0x89abcdef, 0x01234567, 0x1357, 0x2468, 0xfeedf00d, g};
            assert_memory_equal(out + 8 * g, expected, sizeof expected);
        }
        sg_device_destroy(d);
    }
}

/* A descriptor that asks for more than the 16 user SGPRs there are. */
static void test_too_many(void **state)
{
    (void)state;
    struct sg_object *o;
    struct sg_device *d = open_device("gfx942", "preload", &o);
    uint8_t *descriptor = (uint8_t *)(uintptr_t)sg_object_symbol(o, "preload.kd", NULL);
    struct sg_fault fault;
    struct sg_launch l = {.kernel = "preload", .grid = {64}, .workgroup = {64}};
    descriptor[58] = 17; /* KERNARG_PRELOAD_SPEC_LENGTH: bits 6:0 */
    assert_int_equal(sg_object_launch(d, o, &l, &fault), -1);
    assert_int_equal(fault.kind, SG_FAULT_RESOURCES);
    assert_non_null(strstr(fault.message, "preloads more arguments"));
    sg_device_destroy(d);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: test_sg_preload DIRECTORY GPU...\n");
        return 2;
    }
    directory = argv[1];
    arches = argv + 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_compiled),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
