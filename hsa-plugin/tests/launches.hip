/* Many launches in ways that stress interception: argv[1] is graph, callbacks, flood or exec. */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
#include <unistd.h>

__global__ void add(int *p, int v)
{
    atomicAdd(p + threadIdx.x, v);
}

#define CHECK(x)                                                                                             \
    if ((x) != hipSuccess)                                                                                   \
    return std::printf("failed: %s\n", #x), 1

static int called;
static void count(hipStream_t, hipError_t, void *)
{
    called++;
}

static int graph(int *d, hipStream_t s)
{
    hipGraph_t g;
    hipGraphExec_t e;
    CHECK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
    for (int i = 0; i < 8; i++)
        add<<<1, 64, 0, s>>>(d, 1);
    CHECK(hipStreamEndCapture(s, &g));
    CHECK(hipGraphInstantiate(&e, g, nullptr, nullptr, 0));
    for (int i = 0; i < 10; i++)
        CHECK(hipGraphLaunch(e, s));
    return 0;
}

static int callbacks(int *d, hipStream_t s)
{
    for (int i = 0; i < 80; i++) {
        add<<<1, 64, 0, s>>>(d, 1);
        if (i % 10 == 0)
            CHECK(hipStreamAddCallback(s, count, nullptr, 0));
    }
    return 0;
}

/* More packets than a queue holds, of both kinds. */
static int flood(int *d, hipStream_t s)
{
    hipEvent_t e;
    CHECK(hipEventCreate(&e));
    for (int i = 0; i < 4000; i++) {
        add<<<1, 64, 0, s>>>(d, 1);
        if (i % 2)
            CHECK(hipEventRecord(e, s));
    }
    for (int i = 0; i < 20000; i++)
        CHECK(hipEventRecord(e, s));
    return 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int *d, host[64];
    hipStream_t s;
    CHECK(hipMalloc(&d, sizeof host));
    CHECK(hipMemset(d, 0, sizeof host));
    CHECK(hipStreamCreate(&s));
    if (!std::strcmp(how, "graph") ? graph(d, s) : !std::strcmp(how, "flood") ? flood(d, s) : callbacks(d, s))
        return 1;
    CHECK(hipStreamSynchronize(s));
    CHECK(hipMemcpy(host, d, sizeof host, hipMemcpyDeviceToHost));
    std::printf("%d %d\n", host[0], host[63]);
    std::fflush(stdout);
    if (!std::strcmp(how, "exec"))
        execl("/bin/echo", "echo", "replaced", static_cast<char *>(nullptr));
    return 0;
}
