// rocFFT writes its kernels when they are needed and has hiprtc compile them: a transform of a single wave, whose spectrum is
// known. Prints PASSED or FAILED.
#include <hip/hip_runtime_api.h>
#include <rocfft/rocfft.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(int status, const char *what)
{
    if (!status)
        return;
    std::printf("FAILED %s: %d\n", what, status);
    std::exit(1);
}
#define CHECK(call) check(call, #call)

// exp(2 pi i WAVE n / N) has the spectrum N at WAVE and 0 elsewhere.
static bool right(const std::vector<float> &out, size_t n, size_t wave)
{
    for (size_t k = 0; k < n; k++) {
        double want = k == wave ? double(n) : 0;
        if (std::hypot(out[2 * k] - want, out[2 * k + 1]) > 1e-3 * double(n))
            return false;
    }
    return true;
}

int main()
{
    const size_t n = 60, wave = 7, bytes = n * 2 * sizeof(float);
    std::vector<float> values(2 * n);
    for (size_t i = 0; i < n; i++) {
        double angle = 2 * M_PI * double(wave * i) / double(n);
        values[2 * i] = float(std::cos(angle));
        values[2 * i + 1] = float(std::sin(angle));
    }
    void *data;
    rocfft_plan plan = nullptr;
    CHECK(hipMalloc(&data, bytes));
    CHECK(hipMemcpy(data, values.data(), bytes, hipMemcpyHostToDevice));
    CHECK(rocfft_setup());
    CHECK(rocfft_plan_create(&plan, rocfft_placement_inplace, rocfft_transform_type_complex_forward,
                             rocfft_precision_single, 1, &n, 1, nullptr));
    CHECK(rocfft_execute(plan, &data, nullptr, nullptr));
    CHECK(hipDeviceSynchronize());
    CHECK(hipMemcpy(values.data(), data, bytes, hipMemcpyDeviceToHost));
    CHECK(rocfft_plan_destroy(plan));
    CHECK(rocfft_cleanup());
    std::puts(right(values, n, wave) ? "PASSED" : "FAILED: another spectrum");
    return !right(values, n, wave);
}
