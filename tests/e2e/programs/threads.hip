/* A thread pushes two ranges, launches, and ends without popping them; then the main thread launches, in a range of its own that
 * it leaves open, too. The functions are looked up, as Debian 12 has no roctx. */
#include <hip/hip_runtime.h>
#include <dlfcn.h>
#include <cstdio>
#include <thread>

__global__ void touch(int *p)
{
    p[threadIdx.x] += 1;
}

static int *p;

static void push(const char *text)
{
    using function = int (*)(const char *);
    if (auto f = reinterpret_cast<function>(dlsym(RTLD_DEFAULT, "roctxRangePushA")))
        f(text);
}

static void launch()
{
    touch<<<1, 64>>>(p);
    (void)hipDeviceSynchronize();
}

int main()
{
    int value = 0;
    if (hipMalloc(reinterpret_cast<void **>(&p), 64 * sizeof(int)) != hipSuccess ||
        hipMemset(p, 0, 64 * sizeof(int)) != hipSuccess)
        return std::puts("FAILED"), 1;
    std::thread([] {
        push("worker");
        push("worker's inner");
        launch();
    }).join();
    push("main");
    launch();
    if (hipMemcpy(&value, p + 63, sizeof(int), hipMemcpyDeviceToHost) != hipSuccess)
        return std::puts("FAILED"), 1;
    std::puts(value == 2 ? "PASSED" : "FAILED");
    return value != 2;
}
