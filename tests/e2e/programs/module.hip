/* The module interface: module CODE_OBJECT loads it from the file and from memory,
 * launches, sets a global. */
#include "check.h"
#include <vector>

static void use(hipModule_t module)
{
    hipFunction_t function;
    hipDeviceptr_t bias;
    size_t size;
    int *out, value = 1000, host[256];
    HIP(hipModuleGetFunction(&function, module, "fill"));
    CHECK(hipModuleGetFunction(&function, module, "absent") == hipErrorNotFound);
    HIP(hipModuleGetFunction(&function, module, "fill"));
    HIP(hipModuleGetGlobal(&bias, &size, module, "bias"));
    CHECK(size == 4);
    HIP(hipMemcpyHtoD(bias, &value, 4));
    HIP(hipMalloc(&out, sizeof host));
    int first = 5;
    float unused = 0;
    char step = 2;
    void *parameters[] = {&out, &first, &unused, &step};
    HIP(hipModuleLaunchKernel(function, 4, 1, 1, 64, 1, 1, 256, nullptr, parameters, nullptr));
    HIP(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++)
        CHECK(host[i] == 5 + (63 - i % 64) * 2 + 1000);
    /* the same arguments as one packed block */
    struct {
        int *out;
        int first;
        float unused;
        char step;
    } block = {out, 7, 0, 3};
    size = sizeof block;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &block, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_END};
    HIP(hipModuleLaunchKernel(function, 2, 1, 1, 128, 1, 1, 512, nullptr, nullptr, extra));
    HIP(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < 256; i++)
        CHECK(host[i] == 7 + (127 - i % 128) * 3 + 1000);
    HIP(hipFree(out));
}

int main(int, char **argv)
{
    hipModule_t module;
    for (int round = 0; round < 2; round++) { /* loaded again: perhaps at the same address */
        HIP(hipModuleLoad(&module, argv[1]));
        use(module);
        HIP(hipModuleUnload(module));
    }
    std::FILE *f = std::fopen(argv[1], "rb");
    CHECK(f);
    std::vector<char> bytes(1 << 20);
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), f));
    std::fclose(f);
    HIP(hipModuleLoadData(&module, bytes.data()));
    use(module);
    HIP(hipModuleUnload(module));
    std::printf("PASSED\n");
}
