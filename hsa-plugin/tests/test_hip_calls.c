/*
 * test_hip_calls.c - the lists of preload/hip_calls.h against HIP itself: each prototype against the header's, when this
 * is compiled; each name and version against the library.
 */
#define __HIP_PLATFORM_AMD__ 1
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include "hsa-plugin/preload/hip_calls.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#define SAME(name, version, params, args, stream)                                                            \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), hipError_t params), #name);
HIP_CALLS(SAME)
HIP_CALLS_NULL(SAME)
HIP_CALLS_CREATE(SAME)
HIP_CALLS_DESTROY(SAME)

static void names_and_versions(void **state)
{
    static const struct {
        const char *name, *version;
    } calls[] = {
#define ROW(name, version, params, args, stream) {#name, version},
        HIP_CALLS(ROW) HIP_CALLS_NULL(ROW) HIP_CALLS_CREATE(ROW) HIP_CALLS_DESTROY(ROW)};
    void *hip = dlopen("libamdhip64.so.5", RTLD_LAZY | RTLD_LOCAL);
    (void)state;
    assert_non_null(hip);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!dlvsym(hip, calls[i].name, calls[i].version))
            fail_msg("%s@%s", calls[i].name, calls[i].version);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_and_versions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
