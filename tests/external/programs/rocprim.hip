// needs: rocprim/rocprim.hpp
// flags: -std=c++17
//
// Device-wide algorithms of rocPRIM against the C++ library's, in sizes around those of its blocks and its items per
// thread. Reductions and scans are of integers, so results are exact.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <hip/hip_runtime.h>
#include <numeric>
#include <rocprim/rocprim.hpp>
#include <string>
#include <vector>

static int failures;

static void need(hipError_t e, const char *what)
{
    if (e == hipSuccess)
        return;
    printf("%s failed: %s\n", what, hipGetErrorString(e));
    exit(1);
}

template <typename T> struct device {
    T *p = nullptr;
    size_t n;
    explicit device(size_t n) : n(n) { need(hipMalloc(&p, std::max<size_t>(n, 1) * sizeof(T)), "hipMalloc"); }
    explicit device(const std::vector<T> &h) : device(h.size())
    {
        if (n)
            need(hipMemcpy(p, h.data(), n * sizeof(T), hipMemcpyHostToDevice), "hipMemcpy");
    }
    device(const device &) = delete;
    ~device() { (void)hipFree(p); }
    std::vector<T> get(size_t count) const
    {
        std::vector<T> h(count);
        if (count)
            need(hipMemcpy(h.data(), p, count * sizeof(T), hipMemcpyDeviceToHost), "hipMemcpy");
        return h;
    }
    std::vector<T> get() const { return get(n); }
};

// Algorithms are called twice: for the size of their temporary memory, and to run.
template <typename F> static void run(const char *what, F call)
{
    size_t bytes = 0;
    need(call(nullptr, bytes), what);
    device<char> temporary(bytes);
    need(call(temporary.p, bytes), what);
    need(hipDeviceSynchronize(), what);
}

template <typename T> static void compare(const char *what, const std::vector<T> &got, const std::vector<T> &expected)
{
    if (got == expected)
        return;
    size_t i = 0;
    while (i < std::min(got.size(), expected.size()) && got[i] == expected[i])
        i++;
    printf("%s of %zu: mismatch at %zu\n", what, expected.size(), i);
    failures++;
}

template <typename T> static std::vector<T> values(size_t n)
{
    std::vector<T> v(n);
    uint64_t x = 88172645463325252ull; // Marsaglia's xorshift
    for (T &e : v) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        e = (T)(x >> 20);
    }
    return v;
}

template <typename T> static void reduce(size_t n)
{
    auto host = values<T>(n);
    device<T> in(host), out(1);
    run("reduce", [&](void *t, size_t &b) {
        return rocprim::reduce(t, b, in.p, out.p, (T)0, n, rocprim::plus<T>());
    });
    compare("reduce", out.get(), {std::accumulate(host.begin(), host.end(), (T)0, std::plus<T>())});
    run("maximum", [&](void *t, size_t &b) {
        return rocprim::reduce(t, b, in.p, out.p, (T)0, n, rocprim::maximum<T>());
    });
    compare("maximum", out.get(), {*std::max_element(host.begin(), host.end())});
}

template <typename T> static void scan(size_t n)
{
    auto host = values<T>(n);
    std::vector<T> expected(n);
    device<T> in(host), out(n);
    run("inclusive scan", [&](void *t, size_t &b) {
        return rocprim::inclusive_scan(t, b, in.p, out.p, n, rocprim::plus<T>());
    });
    std::partial_sum(host.begin(), host.end(), expected.begin());
    compare("inclusive scan", out.get(), expected);
    run("exclusive scan", [&](void *t, size_t &b) {
        return rocprim::exclusive_scan(t, b, in.p, out.p, (T)7, n, rocprim::plus<T>());
    });
    std::rotate(expected.begin(), expected.end() - 1, expected.end());
    expected[0] = 0;
    for (T &e : expected)
        e += 7;
    compare("exclusive scan", out.get(), expected);
}

template <typename T> static void sort(size_t n)
{
    auto host = values<T>(n);
    std::vector<uint32_t> index(n);
    std::iota(index.begin(), index.end(), 0);
    device<T> in(host), out(n);
    device<uint32_t> index_in(index), index_out(n);
    run("sort of keys", [&](void *t, size_t &b) { return rocprim::radix_sort_keys(t, b, in.p, out.p, n); });
    auto expected = host;
    std::sort(expected.begin(), expected.end());
    compare("sort of keys", out.get(), expected);
    run("sort of pairs", [&](void *t, size_t &b) {
        return rocprim::radix_sort_pairs(t, b, in.p, out.p, index_in.p, index_out.p, n);
    });
    std::stable_sort(index.begin(), index.end(), [&](uint32_t a, uint32_t b) { return host[a] < host[b]; });
    compare("sort of pairs", index_out.get(), index);
    run("merge sort", [&](void *t, size_t &b) {
        return rocprim::merge_sort(t, b, in.p, out.p, n, rocprim::greater<T>());
    });
    std::sort(expected.begin(), expected.end(), std::greater<T>());
    compare("merge sort", out.get(), expected);
}

struct odd {
    template <typename T> __host__ __device__ bool operator()(T x) const { return x & 1; }
};

template <typename T> static void select(size_t n)
{
    auto host = values<T>(n);
    for (T &e : host)
        e &= 7; // so that neighbours are equal now and then
    device<T> in(host), out(n);
    device<size_t> count(1);
    std::vector<T> expected;
    run("select", [&](void *t, size_t &b) { return rocprim::select(t, b, in.p, out.p, count.p, n, odd()); });
    std::copy_if(host.begin(), host.end(), std::back_inserter(expected), odd());
    compare("count of select", count.get(), {expected.size()});
    compare("select", out.get(std::min(count.get()[0], n)), expected);
    run("unique", [&](void *t, size_t &b) {
        return rocprim::unique(t, b, in.p, out.p, count.p, n, rocprim::equal_to<T>());
    });
    expected.clear();
    std::unique_copy(host.begin(), host.end(), std::back_inserter(expected));
    compare("count of unique", count.get(), {expected.size()});
    compare("unique", out.get(std::min(count.get()[0], n)), expected);
}

int main()
{
    for (size_t n : {1, 63, 64, 65, 255, 1000, 4096, 70001}) {
        reduce<uint32_t>(n);
        reduce<uint64_t>(n);
        scan<uint32_t>(n);
        scan<uint64_t>(n);
        sort<uint32_t>(n);
        sort<int64_t>(n);
        select<uint32_t>(n);
        select<uint8_t>(n);
        printf("%zu items done\n", n);
        fflush(stdout);
    }
    puts(failures ? "FAIL" : "PASS");
    return failures != 0;
}
