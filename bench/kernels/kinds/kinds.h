// Host side of the kernels here: inputs, and tests by name. Inputs are small integers, so that sums are exact
// in any order; a test prints a hash of what its kernel wrote.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        const hipError_t status_ = (call);                                                                   \
        if (status_ != hipSuccess) {                                                                         \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(status_));                                  \
            exit(2);                                                                                         \
        }                                                                                                    \
    } while (0)

inline unsigned rnd()
{
    static unsigned seed = 12345;
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* An array of the GPU's. */
template <typename T> struct Buf {
    T *p;
    size_t n;
    explicit Buf(size_t n) : n(n)
    {
        CHECK(hipMalloc(&p, n * sizeof(T)));
        CHECK(hipMemset(p, 0, n * sizeof(T)));
    }
    explicit Buf(const std::vector<T> &v) : Buf(v.size())
    {
        CHECK(hipMemcpy(p, v.data(), n * sizeof(T), hipMemcpyHostToDevice));
    }
    operator T *() const
    {
        return p;
    }
    void print(const char *what) const
    {
        CHECK(hipGetLastError());
        CHECK(hipDeviceSynchronize());
        std::vector<unsigned char> bytes(n * sizeof(T));
        CHECK(hipMemcpy(bytes.data(), p, bytes.size(), hipMemcpyDeviceToHost));
        unsigned long long hash = 1469598103934665603ull; // FNV-1a
        for (unsigned char c : bytes)
            hash = (hash ^ c) * 1099511628211ull;
        printf("%s %016llx\n", what, hash);
    }
};

template <typename T> std::vector<T> ints(size_t n, int period, int less)
{
    std::vector<T> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = (T)((int)(i % period) - less);
    return v;
}

template <typename T> std::vector<T> randoms(size_t n, unsigned below)
{
    std::vector<T> v(n);
    for (auto &x : v)
        x = (T)(rnd() % below);
    return v;
}

inline std::vector<int> numbers(size_t n)
{
    return ints<int>(n, 1000, 300);
}

/* c = a * b, of n x n elements. */
template <typename T, typename Kernel> void run_square(Kernel kernel, int n, dim3 grid, dim3 block)
{
    Buf<T> a(ints<T>(n * n, 7, 3)), b(ints<T>(n * n, 5, 2)), c(n * n);
    kernel<<<grid, block>>>(a, b, c, n);
    c.print("c");
}

/* A kernel of one array into another of nx x ny elements, a work-item each, in blocks of width x height. */
template <void (*K)(const float *, float *, int, int)> void run_stencil(int nx, int ny, int width, int height)
{
    Buf<float> in(ints<float>(nx * ny, 11, 0)), out(nx * ny);
    K<<<dim3((nx + width - 1) / width, (ny + height - 1) / height), dim3(width, height)>>>(in, out, nx, ny);
    out.print("out");
}

struct Test {
    const char *name;
    void (*run)();
    Test *next;
    static Test *&first()
    {
        static Test *test;
        return test;
    }
    Test(const char *name, void (*run)()) : name(name), run(run), next(first())
    {
        first() = this;
    }
};

// Defines a test. bench/overhead looks for this word; the kind is what stands before the first underscore.
#define TEST(name)                                                                                           \
    static void run_##name();                                                                                \
    static Test test_##name(#name, run_##name);                                                              \
    static void run_##name()

/* The test whose name is argv[1]; without one, prints the names. */
int main(int argc, char **argv)
{
    for (Test *t = Test::first(); t; t = t->next)
        if (argc < 2) {
            puts(t->name);
        } else if (!strcmp(t->name, argv[1])) {
            t->run();
            return 0;
        }
    return argc < 2 ? 0 : 2;
}
