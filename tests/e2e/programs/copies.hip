/* Copies of known sizes in both directions, timed by HIP's own events; markers around them, some of which HIP's start
 * comes behind, and one that is never ended. */
#include <hip/hip_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>

extern "C" {
void roctxMarkA(const char *);
int roctxRangePushA(const char *);
int roctxRangePop(void);
uint64_t roctxRangeStartA(const char *);
void roctxRangeStop(uint64_t);
}

#define CHECK(x)                                                                                             \
    if ((x) != hipSuccess)                                                                                   \
    return std::printf("failed: %s\n", #x), 1

int main()
{
    const size_t in = 3 << 20, out = 1 << 20;
    char *host, *device;
    hipStream_t s;
    hipEvent_t a, b;
    float ms = -1;
    int outer = roctxRangePushA("before HIP"), inner = roctxRangePushA("inner");
    bool ok = outer == 0 && inner == 1 && roctxRangePop() == 1;
    CHECK(hipHostMalloc(reinterpret_cast<void **>(&host), in, 0));
    CHECK(hipMalloc(reinterpret_cast<void **>(&device), in));
    CHECK(hipStreamCreate(&s));
    CHECK(hipEventCreate(&a));
    CHECK(hipEventCreate(&b));
    std::memset(host, 5, in);
    roctxMarkA("copying, \"quoted\"");
    for (int i = 0; i < 4; i++) {
        uint64_t id = roctxRangeStartA("round");
        CHECK(hipEventRecord(a, s));
        CHECK(hipMemcpyAsync(device, host, in, hipMemcpyHostToDevice, s));
        CHECK(hipEventRecord(b, s));
        CHECK(hipMemcpyAsync(host, device + out, out, hipMemcpyDeviceToHost, s));
        CHECK(hipStreamSynchronize(s));
        CHECK(hipEventElapsedTime(&ms, a, b));
        ok = ok && ms >= 0;
        roctxRangeStop(id);
    }
    std::thread([] { roctxMarkA("another thread"); }).join();
    ok = ok && roctxRangePop() == 0 && host[0] == 5 && host[out - 1] == 5;
    roctxRangePushA("never ended");
    std::printf("%s\n", ok ? "PASSED" : "FAILED");
    return !ok;
}
