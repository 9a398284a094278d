/* Random numbers of rocRAND's generators, of each distribution: a line with a sum over their bits, which is the same on
 * every GPU, for the library's sequences do not depend on it. */
#include <rocrand/rocrand.h>
#include <cstdint>
#include <vector>
#include "check.h"

enum { COUNT = 20000 };

static void print_sum(const char *generator, const char *what, const void *numbers, size_t bytes)
{
    std::vector<unsigned char> host(bytes);
    uint64_t sum = 0xcbf29ce484222325; /* FNV-1a */
    HIP(hipMemcpy(host.data(), numbers, bytes, hipMemcpyDeviceToHost));
    for (unsigned char byte : host)
        sum = (sum ^ byte) * 0x100000001b3;
    std::printf("%s %s %016llx\n", generator, what, (unsigned long long)sum);
}

static void generate(rocrand_rng_type type, const char *name)
{
    rocrand_generator generator;
    void *numbers;
    HIP(hipMalloc(&numbers, COUNT * sizeof(double)));
    CHECK(rocrand_create_generator(&generator, type) == ROCRAND_STATUS_SUCCESS);
    if (type != ROCRAND_RNG_QUASI_SOBOL32)
        CHECK(rocrand_set_seed(generator, 12345) == ROCRAND_STATUS_SUCCESS);
    auto *words = static_cast<unsigned *>(numbers);
    auto *floats = static_cast<float *>(numbers);
    CHECK(rocrand_generate(generator, words, COUNT) == ROCRAND_STATUS_SUCCESS);
    print_sum(name, "words", numbers, COUNT * sizeof *words);
    CHECK(rocrand_generate_poisson(generator, words, COUNT, 30) == ROCRAND_STATUS_SUCCESS);
    print_sum(name, "poisson", numbers, COUNT * sizeof *words);
    CHECK(rocrand_generate_uniform(generator, floats, COUNT) == ROCRAND_STATUS_SUCCESS);
    print_sum(name, "uniform", numbers, COUNT * sizeof *floats);
    CHECK(rocrand_generate_normal(generator, floats, COUNT, 1, 2) == ROCRAND_STATUS_SUCCESS);
    print_sum(name, "normal", numbers, COUNT * sizeof *floats);
    CHECK(rocrand_generate_uniform_double(generator, static_cast<double *>(numbers), COUNT) == ROCRAND_STATUS_SUCCESS);
    print_sum(name, "doubles", numbers, COUNT * sizeof(double));
    CHECK(rocrand_destroy_generator(generator) == ROCRAND_STATUS_SUCCESS);
    HIP(hipFree(numbers));
}

int main()
{
    generate(ROCRAND_RNG_PSEUDO_XORWOW, "xorwow");
    generate(ROCRAND_RNG_PSEUDO_MRG32K3A, "mrg32k3a");
    generate(ROCRAND_RNG_PSEUDO_PHILOX4_32_10, "philox");
    generate(ROCRAND_RNG_QUASI_SOBOL32, "sobol32");
    return 0;
}
