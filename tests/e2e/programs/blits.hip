// blits.hip - HIP's fills and copies of device memory, at even and odd places and sizes, against the host.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static const size_t BYTES = 3 << 19; // enough that a dispatch is worth doing as a whole

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        hipError_t error_ = (call);                                                                          \
        if (error_ != hipSuccess) {                                                                          \
            printf("%s: %s\n", #call, hipGetErrorString(error_));                                            \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static char *device[2];
static std::vector<char> mirror[2], seen;
static unsigned steps;

static void compare(const char *what, int which)
{
    CHECK(hipMemcpy(seen.data(), device[which], BYTES, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < BYTES; i++)
        if (seen[i] != mirror[which][i]) {
            printf("step %u, %s: byte %zu is %02x, not %02x\n", steps, what, i, seen[i] & 255,
                   mirror[which][i] & 255);
            exit(1);
        }
    steps++;
}

static void fills(int which, size_t at, size_t bytes)
{
    CHECK(hipMemset(device[which] + at, 0x5a + (int)at, bytes));
    memset(&mirror[which][at], 0x5a + (int)at, bytes);
    compare("hipMemset", which);
    if (at % 4)
        return;
    CHECK(hipMemsetD16((hipDeviceptr_t)(device[which] + at), 0x1234, bytes / 2));
    for (size_t i = 0; i < bytes / 2; i++)
        memcpy(&mirror[which][at + 2 * i], "\x34\x12", 2);
    compare("hipMemsetD16", which);
    CHECK(hipMemsetD32((hipDeviceptr_t)(device[which] + at), 0x01020304, bytes / 4));
    for (size_t i = 0; i < bytes / 4; i++)
        memcpy(&mirror[which][at + 4 * i], "\x04\x03\x02\x01", 4);
    compare("hipMemsetD32", which);
}

static void copies(size_t to, size_t from, size_t bytes)
{
    CHECK(hipMemcpy(device[1] + to, device[0] + from, bytes, hipMemcpyDeviceToDevice));
    memcpy(&mirror[1][to], &mirror[0][from], bytes);
    compare("hipMemcpy", 1);
    CHECK(
        hipMemcpy2D(device[1] + to, 1000, device[0] + from, 900, 777, bytes / 1000, hipMemcpyDeviceToDevice));
    for (size_t row = 0; row < bytes / 1000; row++)
        memcpy(&mirror[1][to + row * 1000], &mirror[0][from + row * 900], 777);
    compare("hipMemcpy2D", 1);
}

/* Three layers of `height` rows in the second buffer: filled, copied beside themselves, copied from the
 * first. */
static void rectangles(size_t at, size_t pitch, size_t width, size_t height)
{
    const size_t layer = pitch * height, half = width / 2;
    const hipPitchedPtr to = make_hipPitchedPtr(device[1] + at, pitch, width, height);
    const hipPitchedPtr from = make_hipPitchedPtr(device[0], pitch, width, height);
    CHECK(hipMemset2D(device[1] + at, pitch, 0x21 + (int)at, width, height));
    for (size_t row = 0; row < height; row++)
        memset(&mirror[1][at + row * pitch], 0x21 + (int)at, width);
    compare("hipMemset2D", 1);
    CHECK(hipMemcpy2D(device[1] + at + half, pitch, device[1] + at, pitch, half, height,
                      hipMemcpyDeviceToDevice));
    for (size_t row = 0; row < height; row++)
        memcpy(&mirror[1][at + half + row * pitch], &mirror[1][at + row * pitch], half);
    compare("hipMemcpy2D in one buffer", 1);
    hipMemcpy3DParms copy = {};
    copy.srcPtr = from;
    copy.dstPtr = to;
    copy.extent = make_hipExtent(width, height - 1, 3);
    copy.kind = hipMemcpyDeviceToDevice;
    CHECK(hipMemcpy3D(&copy));
    for (size_t k = 0; k < 3; k++)
        for (size_t row = 0; row + 1 < height; row++)
            memcpy(&mirror[1][at + k * layer + row * pitch], &mirror[0][k * layer + row * pitch], width);
    compare("hipMemcpy3D", 1);
    CHECK(hipMemset3D(to, 0x61 + (int)at, make_hipExtent(half, height - 2, 3)));
    for (size_t k = 0; k < 3; k++)
        for (size_t row = 0; row + 2 < height; row++)
            memset(&mirror[1][at + k * layer + row * pitch], 0x61 + (int)at, half);
    compare("hipMemset3D", 1);
}

int main()
{
    seen.resize(BYTES);
    for (int k = 0; k < 2; k++) {
        CHECK(hipMalloc((void **)&device[k], BYTES));
        mirror[k].resize(BYTES);
        for (size_t i = 0; i < BYTES; i++)
            mirror[k][i] = (char)(i * 7 + i / 255 + k);
        CHECK(hipMemcpy(device[k], mirror[k].data(), BYTES, hipMemcpyHostToDevice));
    }
    static const size_t places[][3] = {{0, 0, BYTES},         {16, 32, BYTES - 64},  {4, 8, BYTES - 20},
                                       {1, 3, BYTES - 4},     {3, 16, BYTES - 1001}, {8, 1, 700001},
                                       {5, 5, BYTES / 2 + 13}};
    for (auto &p : places) {
        copies(p[0], p[1], p[2] - (p[1] > p[0] ? p[1] : p[0]) % 4096);
        fills(1, p[0], p[2] - p[0]);
        fills(0, p[1], 600000 + p[1]);
        rectangles(p[0], 1000 + p[1], 900 + p[0], 400);
        for (size_t i = 0; i < BYTES; i += 999) // no two alike for the next copy
            mirror[0][i] = (char)(i / 999 + steps);
        CHECK(hipMemcpy(device[0], mirror[0].data(), BYTES, hipMemcpyHostToDevice));
    }
    printf("%u steps agree\n", steps);
    return 0;
}
