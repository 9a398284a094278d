/* Loads the code object argv[1] three times, launches its kernel "inc" each time, and unloads it. */
#include <hip/hip_runtime.h>
#include <cstdio>

#define CHECK(x)                                                                                             \
    if ((x) != hipSuccess)                                                                                   \
    return std::printf("failed: %s\n", #x), 1

int main(int, char **argv)
{
    int *data, host[256], n = 256;
    void *arguments[] = {&data, &n};
    CHECK(hipMalloc(&data, sizeof host));
    CHECK(hipMemset(data, 0, sizeof host));
    for (int i = 0; i < 3; i++) {
        hipModule_t module;
        hipFunction_t inc;
        CHECK(hipModuleLoad(&module, argv[1]));
        CHECK(hipModuleGetFunction(&inc, module, "inc"));
        CHECK(hipModuleLaunchKernel(inc, 4, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
        CHECK(hipDeviceSynchronize());
        CHECK(hipModuleUnload(module));
    }
    CHECK(hipMemcpy(host, data, sizeof host, hipMemcpyDeviceToHost));
    std::printf("%d %d\n", host[0], host[255]);
    return 0;
}
