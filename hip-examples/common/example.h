/* example.h - what every example shares: error checks, device arrays, and the verdict that becomes the exit
 * code. */
#ifndef HIP_EXAMPLES_EXAMPLE_H
#define HIP_EXAMPLES_EXAMPLE_H

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        hipError_t status_ = (call);                                                                         \
        if (status_ != hipSuccess) {                                                                         \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(status_));  \
            std::exit(2);                                                                                    \
        }                                                                                                    \
    } while (0)

/* An array in device memory, filled from and read back to a host vector. */
template <typename T> class DeviceArray
{
  public:
    explicit DeviceArray(size_t n) : n_(n)
    {
        CHECK(hipMalloc(&data_, n * sizeof(T)));
    }
    explicit DeviceArray(const std::vector<T> &from) : DeviceArray(from.size())
    {
        CHECK(hipMemcpy(data_, from.data(), n_ * sizeof(T), hipMemcpyHostToDevice));
    }
    ~DeviceArray()
    {
        (void)hipFree(data_);
    }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;

    T *get() const
    {
        return data_;
    }
    void clear()
    {
        CHECK(hipMemset(data_, 0, n_ * sizeof(T)));
    }
    std::vector<T> read() const
    {
        std::vector<T> out(n_);
        CHECK(hipMemcpy(out.data(), data_, n_ * sizeof(T), hipMemcpyDeviceToHost));
        return out;
    }

  private:
    size_t n_;
    T *data_ = nullptr;
};

/* Waits for the device, so that an error of the kernel shows at the launch that caused it. */
inline void finish_launch()
{
    CHECK(hipGetLastError());
    CHECK(hipDeviceSynchronize());
}

/* Prints "name: PASSED" or the first difference; returns 0 or 1. */
template <typename T> int verdict(const char *name, const std::vector<T> &got, const std::vector<T> &expected)
{
    for (size_t i = 0; i < expected.size(); i++)
        if (!(got[i] == expected[i])) {
            std::printf("%s: FAILED at %zu: got %g, expected %g\n", name, i, (double)got[i],
                        (double)expected[i]);
            return 1;
        }
    std::printf("%s: PASSED\n", name);
    return 0;
}

#endif
