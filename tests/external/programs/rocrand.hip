// needs: rocrand/rocrand.h
// flags: -lrocrand
//
// The library's own kernels, as they were compiled for hardware, must produce sequences with the right statistics.
// Bounds are six standard deviations of the estimate, so a correct generator fails once in 10^8 checks; seeds are fixed,
// so the outcome does not vary.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <hip/hip_runtime.h>
#include <rocrand/rocrand.h>
#include <vector>

static int failures;

static void check(const char *generator, const char *what, double value, double expected, double bound)
{
    bool ok = std::fabs(value - expected) <= bound; // also refuses NaN
    printf("%-10s %-26s %12.6f, expected %12.6f +- %.6f%s\n", generator, what, value, expected, bound, ok ? "" : "  FAIL");
    failures += !ok;
}

static void need(bool ok, const char *what)
{
    if (ok)
        return;
    printf("%s failed\n", what);
    exit(1);
}

static constexpr size_t count = 1 << 16;

struct moments {
    double mean, variance, serial; // serial: correlation with the next value
};

template <typename T> static moments moments_of(const std::vector<T> &x)
{
    double n = x.size(), mean = 0, variance = 0, serial = 0;
    for (T v : x)
        mean += v / n;
    for (size_t i = 0; i < x.size(); i++) {
        variance += (x[i] - mean) * (x[i] - mean) / n;
        serial += (x[i] - mean) * (x[(i + 1) % x.size()] - mean) / n;
    }
    return {mean, variance, serial / variance};
}

template <typename T, typename F> static std::vector<T> generate(F call, const char *what)
{
    std::vector<T> host(count);
    T *device;
    need(hipMalloc(&device, count * sizeof(T)) == hipSuccess, "hipMalloc");
    need(call(device) == ROCRAND_STATUS_SUCCESS, what);
    need(hipMemcpy(host.data(), device, count * sizeof(T), hipMemcpyDeviceToHost) == hipSuccess, "hipMemcpy");
    need(hipFree(device) == hipSuccess, "hipFree");
    return host;
}

static const double sigmas = 6, root = std::sqrt((double)count);

// Uniform on (0, 1]: mean 1/2, variance 1/12, fourth central moment 1/80.
static void uniform(const char *name, rocrand_generator g, bool quasi)
{
    auto x = generate<float>([&](float *p) { return rocrand_generate_uniform(g, p, count); }, "uniform");
    moments m = moments_of(x);
    check(name, "uniform mean", m.mean, 0.5, sigmas * std::sqrt(1 / 12.) / root);
    check(name, "uniform variance", m.variance, 1 / 12., sigmas * std::sqrt(1 / 80. - 1 / 144.) / root);
    if (!quasi) // neighbours of a quasi-random sequence are far from each other on purpose
        check(name, "uniform serial correlation", m.serial, 0, sigmas / root);
    size_t outside = 0;
    double cells[64] = {}, chi2 = 0;
    for (float v : x) {
        outside += !(v > 0 && v <= 1);
        cells[(int)(v * 64) & 63]++;
    }
    for (double cell : cells)
        chi2 += (cell - count / 64.) * (cell - count / 64.) / (count / 64.);
    check(name, "uniform outside (0, 1]", outside, 0, 0);
    check(name, "chi square, 64 cells", chi2, quasi ? 0 : 63, quasi ? 63 : sigmas * std::sqrt(2 * 63.));
}

// Standard normal: fourth moment 3, sixth 15; variance of the estimates of the variance is 2/n.
static void normal(const char *name, rocrand_generator g)
{
    auto x = generate<float>([&](float *p) { return rocrand_generate_normal(g, p, count, 0, 1); }, "normal");
    moments m = moments_of(x);
    double third = 0, fourth = 0, tail = 0;
    for (double v : x) {
        third += v * v * v / count;
        fourth += v * v * v * v / count;
        tail += std::fabs(v) > 1.959963985;
    }
    check(name, "normal mean", m.mean, 0, sigmas / root);
    check(name, "normal variance", m.variance, 1, sigmas * std::sqrt(2.) / root);
    check(name, "normal third moment", third, 0, sigmas * std::sqrt(15.) / root);
    check(name, "normal fourth moment", fourth, 3, sigmas * std::sqrt(105. - 9) / root);
    check(name, "normal beyond 1.96", tail / count, 0.05, sigmas * std::sqrt(.05 * .95) / root);
    auto d = generate<double>([&](double *p) { return rocrand_generate_normal_double(g, p, count, 10, 2); }, "double");
    m = moments_of(d);
    check(name, "normal(10, 2) mean", m.mean, 10, sigmas * 2 / root);
    check(name, "normal(10, 2) variance", m.variance, 4, sigmas * 4 * std::sqrt(2.) / root);
}

static void integers(const char *name, rocrand_generator g)
{
    auto x = generate<unsigned>([&](unsigned *p) { return rocrand_generate(g, p, count); }, "generate");
    for (int bit : {0, 1, 15, 16, 30, 31}) {
        double ones = 0;
        for (unsigned v : x)
            ones += v >> bit & 1;
        char what[32];
        snprintf(what, sizeof(what), "bit %d set", bit);
        check(name, what, ones / count, 0.5, sigmas * 0.5 / root);
    }
    auto p = generate<unsigned>([&](unsigned *q) { return rocrand_generate_poisson(g, q, count, 10); }, "poisson");
    moments m = moments_of(p);
    check(name, "poisson(10) mean", m.mean, 10, sigmas * std::sqrt(10.) / root);
    // Fourth central moment: 3 * 10^2 + 10.
    check(name, "poisson(10) variance", m.variance, 10, sigmas * std::sqrt(310. - 100) / root);
}

int main()
{
    static const struct {
        const char *name;
        rocrand_rng_type type;
        bool quasi;
    } generators[] = {
        {"xorwow", ROCRAND_RNG_PSEUDO_XORWOW, false},   {"mrg32k3a", ROCRAND_RNG_PSEUDO_MRG32K3A, false},
        {"philox", ROCRAND_RNG_PSEUDO_PHILOX4_32_10, false}, {"sobol32", ROCRAND_RNG_QUASI_SOBOL32, true},
    };
    for (auto &info : generators) {
        rocrand_generator g;
        need(rocrand_create_generator(&g, info.type) == ROCRAND_STATUS_SUCCESS, "rocrand_create_generator");
        if (!info.quasi)
            need(rocrand_set_seed(g, 20210607) == ROCRAND_STATUS_SUCCESS, "rocrand_set_seed");
        uniform(info.name, g, info.quasi);
        if (!info.quasi) {
            normal(info.name, g);
            integers(info.name, g);
        }
        need(rocrand_destroy_generator(g) == ROCRAND_STATUS_SUCCESS, "rocrand_destroy_generator");
    }
    puts(failures ? "FAIL" : "PASS");
    return failures != 0;
}
