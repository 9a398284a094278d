/* What the self-checking test programs share: say where it failed, and choose one test by name. */
#ifndef TESTS_E2E_CHECK_H
#define TESTS_E2E_CHECK_H

#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            std::printf("FAILED %s:%d: %s\n", __FILE_NAME__, __LINE__, #condition);                          \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

#define HIP(call)                                                                                            \
    do {                                                                                                     \
        hipError_t error_ = (call);                                                                          \
        if (error_ != hipSuccess) {                                                                          \
            std::printf("FAILED %s:%d: %s: %s\n", __FILE_NAME__, __LINE__, #call, hipGetErrorName(error_));  \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

struct Test {
    const char *name;
    void (*run)();
};

/* Runs the named tests, or all; prints PASSED and each name. */
template <int N> int run_tests(const Test (&tests)[N], int argc, char **argv)
{
    int ran = 0;
    for (const Test &t : tests) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++)
            wanted |= !std::strcmp(argv[i], t.name);
        if (!wanted)
            continue;
        t.run();
        std::printf("PASSED %s\n", t.name);
        std::fflush(stdout);
        ran++;
    }
    return ran ? 0 : 2;
}

#endif
