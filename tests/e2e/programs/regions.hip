/* Four launches, between them the calls by which a program says what is to be observed. The functions are looked up, as
 * Debian 12 has no roctx: without a profiler there are none. */
#include <hip/hip_runtime.h>
#include <dlfcn.h>
#include <cstdint>
#include <cstdio>

__global__ void touch(int *p)
{
    p[threadIdx.x] += 1;
}

static void call(const char *name)
{
    using function = int (*)(uint64_t);
    if (auto f = reinterpret_cast<function>(dlsym(RTLD_DEFAULT, name)))
        f(0);
}

int main()
{
    const char *const before[] = {nullptr, "roctxProfilerPause", "roctxProfilerResume", "roctxProfilerPause"};
    int *p, value = 0;
    if (hipMalloc(reinterpret_cast<void **>(&p), 64 * sizeof(int)) != hipSuccess ||
        hipMemset(p, 0, 64 * sizeof(int)) != hipSuccess)
        return std::puts("FAILED"), 1;
    for (const char *name : before) {
        if (name)
            call(name);
        touch<<<1, 64>>>(p);
    }
    if (hipMemcpy(&value, p + 63, sizeof(int), hipMemcpyDeviceToHost) != hipSuccess)
        return std::puts("FAILED"), 1;
    std::puts(value == 4 ? "PASSED" : "FAILED");
    return value != 4;
}
