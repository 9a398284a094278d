// Random numbers by librocrand, whose kernels come compiled: Philox works in registers, MTGP32 in LDS.
#include <hip/hip_runtime.h>
#include <rocrand/rocrand.h>
#include <cstdio>
#include <vector>

int main()
{
    const size_t n = 4096;
    float *device = nullptr;
    rocrand_generator generator;
    if (hipMalloc(&device, n * sizeof *device) != hipSuccess)
        return 1;
    for (rocrand_rng_type type : {ROCRAND_RNG_PSEUDO_PHILOX4_32_10, ROCRAND_RNG_PSEUDO_MTGP32}) {
        if (rocrand_create_generator(&generator, type) != ROCRAND_STATUS_SUCCESS ||
            rocrand_set_seed(generator, 7) != ROCRAND_STATUS_SUCCESS ||
            rocrand_generate_uniform(generator, device, n) != ROCRAND_STATUS_SUCCESS ||
            rocrand_generate_normal(generator, device, n, 0, 1) != ROCRAND_STATUS_SUCCESS)
            return 2;
        std::vector<float> host(n);
        if (hipMemcpy(host.data(), device, n * sizeof *device, hipMemcpyDeviceToHost) != hipSuccess)
            return 3;
        double sum = 0;
        for (float x : host)
            sum += x;
        std::printf("%.6f\n", sum);
        rocrand_destroy_generator(generator);
    }
    return 0;
}
