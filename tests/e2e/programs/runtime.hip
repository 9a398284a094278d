/* What HIP's runtime offers around kernels: graphs, memory, copies, callbacks, modules, queries, several
 * GPUs. */
#include "check.h"
#include <hip/hip_cooperative_groups.h>
#include <atomic>
#include <vector>

__global__ void add(int *p, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += by;
}

__global__ void scale(const int *in, int *out, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * by;
}

static const int n = 1000, bytes = n * 4;

static int *device_memory(size_t size = bytes)
{
    int *p;
    HIP(hipMalloc(&p, size));
    HIP(hipMemset(p, 0, size));
    return p;
}

static void expect(const int *device, int first, int step)
{
    std::vector<int> host(n);
    HIP(hipMemcpy(host.data(), device, bytes, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(host[i] == first + i * step);
}

/* ---- Graphs ---- */

/* Captured copy, two kernels, copy back; replayed with other input each time. */
static void graph_capture()
{
    std::vector<int> in(n), out(n);
    int *a = device_memory(), *b = device_memory();
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    HIP(hipStreamCreate(&stream));
    HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    HIP(hipMemcpyAsync(a, in.data(), bytes, hipMemcpyHostToDevice, stream));
    add<<<8, 128, 0, stream>>>(a, n, 10);
    scale<<<8, 128, 0, stream>>>(a, b, n, 3);
    HIP(hipMemcpyAsync(out.data(), b, bytes, hipMemcpyDeviceToHost, stream));
    HIP(hipStreamEndCapture(stream, &graph));
    HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < n; i++)
            in[i] = i * (round + 1);
        HIP(hipGraphLaunch(exec, stream));
        HIP(hipStreamSynchronize(stream));
        for (int i = 0; i < n; i++)
            CHECK(out[i] == 3 * (i * (round + 1) + 10));
    }
    HIP(hipGraphExecDestroy(exec));
    HIP(hipGraphDestroy(graph));
    HIP(hipStreamDestroy(stream));
}

static std::atomic<int> called;

static void on_host(void *data)
{
    called += *static_cast<int *>(data);
}

/* Nodes by hand, a diamond of kernels, and parameters changed between replays. */
static void graph_explicit()
{
    int *a = device_memory(), count = n, one = 1, two = 2, five = 5;
    hipGraph_t graph;
    hipGraphExec_t exec;
    hipGraphNode_t first, left, last;
    HIP(hipGraphCreate(&graph, 0));
    hipKernelNodeParams p = {};
    void *arguments[] = {&a, &count, &one};
    p.func = reinterpret_cast<void *>(add);
    p.gridDim = dim3(8);
    p.blockDim = dim3(128);
    p.kernelParams = arguments;
    HIP(hipGraphAddKernelNode(&first, graph, nullptr, 0, &p));
    arguments[2] = &two;
    HIP(hipGraphAddKernelNode(&left, graph, &first, 1, &p));
    hipMemsetParams m = {};
    int *other = device_memory();
    m.dst = other;
    m.elementSize = 4;
    m.width = n;
    m.height = 1;
    m.value = 9;
    hipGraphNode_t set;
    HIP(hipGraphAddMemsetNode(&set, graph, &first, 1, &m));
    hipGraphNode_t both[] = {left, set};
    void *more[] = {&other, &count, &two};
    p.kernelParams = more;
    HIP(hipGraphAddKernelNode(&last, graph, both, 2, &p));
    hipHostNodeParams call = {on_host, &one};
    hipGraphNode_t host;
    HIP(hipGraphAddHostNode(&host, graph, &last, 1, &call));
    HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    called = 0;
    HIP(hipGraphLaunch(exec, nullptr));
    HIP(hipGraphLaunch(exec, nullptr));
    HIP(hipDeviceSynchronize());
    CHECK(called == 2);
    expect(a, 6, 0);
    expect(other, 11, 0);
    arguments[2] = &five;
    p.kernelParams = arguments;
    HIP(hipGraphExecKernelNodeSetParams(exec, left, &p));
    HIP(hipGraphLaunch(exec, nullptr));
    HIP(hipDeviceSynchronize());
    expect(a, 12, 0);
    expect(other, 11, 0);
    HIP(hipGraphExecDestroy(exec));
    HIP(hipGraphDestroy(graph));
}

/* ---- Memory ---- */

static void managed()
{
    int *p;
    HIP(hipMallocManaged(&p, bytes));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < n; i++)
            p[i] = i;
        add<<<8, 128>>>(p, n, round);
        HIP(hipDeviceSynchronize());
        for (int i = 0; i < n; i++)
            CHECK(p[i] == i + round);
    }
    HIP(hipMemPrefetchAsync(p, bytes, 0, nullptr));
    HIP(hipMemAdvise(p, bytes, hipMemAdviseSetReadMostly, 0));
    HIP(hipDeviceSynchronize());
    HIP(hipFree(p));
}

__managed__ int managed_counter;
__device__ int symbol[n];
__constant__ int constants[4];

__global__ void use_symbols(int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        symbol[i] = symbol[i] * by + constants[i % 4];
    if (i < n)
        atomicAdd(&managed_counter, 1);
}

static void symbols()
{
    std::vector<int> host(n);
    int four[4] = {100, 200, 300, 400};
    for (int i = 0; i < n; i++)
        host[i] = i;
    managed_counter = 7;
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(symbol), host.data(), bytes));
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(constants), four, sizeof four));
    use_symbols<<<8, 128>>>(2);
    HIP(hipDeviceSynchronize());
    HIP(hipMemcpyFromSymbol(host.data(), HIP_SYMBOL(symbol), bytes));
    for (int i = 0; i < n; i++)
        CHECK(host[i] == 2 * i + four[i % 4]);
    CHECK(managed_counter == 7 + n);
    void *address;
    size_t size;
    HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(symbol)));
    HIP(hipGetSymbolSize(&size, HIP_SYMBOL(symbol)));
    CHECK(address && size == (size_t)bytes);
}

static void host_memory()
{
    int *pinned, *device;
    HIP(hipHostMalloc(reinterpret_cast<void **>(&pinned), bytes, hipHostMallocMapped));
    HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&device), pinned, 0));
    for (int i = 0; i < n; i++)
        pinned[i] = i;
    add<<<8, 128>>>(device, n, 4);
    HIP(hipDeviceSynchronize());
    for (int i = 0; i < n; i++)
        CHECK(pinned[i] == i + 4);
    HIP(hipHostFree(pinned));

    std::vector<int> own(n + 1, 5); /* not aligned to pages, nor its end */
    HIP(hipHostRegister(own.data() + 1, bytes, hipHostRegisterMapped));
    HIP(hipHostGetDevicePointer(reinterpret_cast<void **>(&device), own.data() + 1, 0));
    add<<<8, 128>>>(device, n, 6);
    HIP(hipDeviceSynchronize());
    for (int i = 1; i <= n; i++)
        CHECK(own[i] == 11);
    CHECK(own[0] == 5);
    hipPointerAttribute_t attributes;
    HIP(hipPointerGetAttributes(&attributes, own.data() + 1));
    CHECK(attributes.memoryType == hipMemoryTypeHost);
    HIP(hipHostUnregister(own.data() + 1));
}

static void pools()
{
    hipStream_t stream;
    int *p;
    HIP(hipStreamCreate(&stream));
    for (int round = 0; round < 3; round++) {
        HIP(hipMallocAsync(reinterpret_cast<void **>(&p), bytes, stream));
        HIP(hipMemsetAsync(p, 0, bytes, stream));
        add<<<8, 128, 0, stream>>>(p, n, round);
        HIP(hipStreamSynchronize(stream));
        expect(p, round, 0);
        HIP(hipFreeAsync(p, stream));
    }
    /* Must be the last test: once there was a pool, HIP 5.2.3 loops forever in hipStreamDestroy. */
    HIP(hipStreamSynchronize(stream));
}

static void memset_patterns()
{
    unsigned char host[777], *p;
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    HIP(hipMalloc(&p, sizeof host));
    HIP(hipMemsetAsync(p, 0xab, sizeof host, stream));
    HIP(hipMemsetAsync(p + 3, 1, 10, stream));
    HIP(hipMemsetD16Async(p + 100, 0x1234, 7, stream));
    HIP(hipMemsetD32Async(p + 200, (int)0xdeadbeef, 5, stream));
    HIP(hipMemset2DAsync(p + 300, 50, 0x77, 20, 4, stream));
    HIP(hipMemcpyAsync(host, p, sizeof host, hipMemcpyDeviceToHost, stream));
    HIP(hipStreamSynchronize(stream));
    for (int i = 0; i < (int)sizeof host; i++) {
        int want = 0xab;
        if (i >= 3 && i < 13)
            want = 1;
        if (i >= 100 && i < 114)
            want = i % 2 ? 0x12 : 0x34;
        if (i >= 200 && i < 220)
            want = (int)(0xdeadbeefu >> i % 4 * 8 & 255);
        if (i >= 300 && i < 500 && (i - 300) % 50 < 20)
            want = 0x77;
        CHECK(host[i] == want);
    }
    HIP(hipFree(p));
    HIP(hipStreamDestroy(stream));
}

static void copies()
{
    const int width = 20, height = 6, depth = 3, wide = 32;
    std::vector<unsigned char> host(width * height * depth), back(host.size());
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (unsigned char)(i * 7);
    unsigned char *p, *q;
    size_t pitch;
    HIP(hipMallocPitch(reinterpret_cast<void **>(&p), &pitch, width, height));
    CHECK(pitch >= (size_t)width);
    HIP(hipMalloc(&q, wide * height));
    HIP(hipMemcpy2D(p, pitch, host.data(), width, width, height, hipMemcpyHostToDevice));
    HIP(hipMemcpy2D(q, wide, p, pitch, width, height, hipMemcpyDeviceToDevice));
    HIP(hipMemcpy2D(back.data(), width, q, wide, width, height, hipMemcpyDeviceToHost));
    CHECK(!std::memcmp(host.data(), back.data(), width * height));

    hipPitchedPtr volume;
    hipExtent extent = make_hipExtent(width, height, depth);
    HIP(hipMalloc3D(&volume, extent));
    hipMemcpy3DParms in = {};
    in.srcPtr = make_hipPitchedPtr(host.data(), width, width, height);
    in.dstPtr = volume;
    in.extent = extent;
    in.kind = hipMemcpyHostToDevice;
    HIP(hipMemcpy3D(&in));
    hipMemcpy3DParms out = {};
    out.srcPtr = volume;
    out.dstPtr = make_hipPitchedPtr(back.data(), width, width, height);
    out.extent = extent;
    out.kind = hipMemcpyDeviceToHost;
    std::fill(back.begin(), back.end(), 0);
    HIP(hipMemcpy3D(&out));
    CHECK(host == back);

    const size_t large = (64 << 20) + 3;
    std::vector<unsigned char> a(large), b(large);
    for (size_t i = 0; i < large; i++)
        a[i] = (unsigned char)(i * 2654435761u >> 13);
    unsigned char *x, *y;
    HIP(hipMalloc(&x, large));
    HIP(hipMalloc(&y, large));
    HIP(hipMemcpy(x, a.data(), large, hipMemcpyHostToDevice));
    HIP(hipMemcpy(y, x, large, hipMemcpyDeviceToDevice));
    HIP(hipMemcpy(b.data() + 1, y + 1, large - 1, hipMemcpyDeviceToHost));
    CHECK(!std::memcmp(a.data() + 1, b.data() + 1, large - 1));
    HIP(hipFree(x));
    HIP(hipFree(y));
    HIP(hipFree(p));
    HIP(hipFree(q));
}

/* ---- Streams, events, callbacks ---- */

static void on_stream(hipStream_t, hipError_t status, void *data)
{
    if (status == hipSuccess)
        called += *static_cast<int *>(data);
}

static void callbacks()
{
    hipStream_t stream;
    called = 0;
    int hundred = 100, *p = device_memory();
    HIP(hipStreamCreate(&stream));
    add<<<8, 128, 0, stream>>>(p, n, 1);
    HIP(hipStreamAddCallback(stream, on_stream, &hundred, 0));
    add<<<8, 128, 0, stream>>>(p, n, 1);
    HIP(hipStreamSynchronize(stream));
    CHECK(called == 100);
    expect(p, 2, 0);
    HIP(hipStreamDestroy(stream));
}

__global__ void spin(int *p, int rounds)
{
    int x = *p;
    for (int i = 0; i < rounds; i++)
        x = x * 3 + 1;
    *p = x;
}

static void events()
{
    int *p = device_memory();
    hipEvent_t start, middle, stop;
    float first, second, whole;
    HIP(hipEventCreate(&start));
    HIP(hipEventCreate(&middle));
    HIP(hipEventCreate(&stop));
    HIP(hipEventRecord(start));
    spin<<<1, 1>>>(p, 10);
    HIP(hipEventRecord(middle));
    spin<<<1, 1>>>(p, 3000000);
    HIP(hipEventRecord(stop));
    HIP(hipEventSynchronize(stop));
    HIP(hipEventQuery(stop));
    HIP(hipEventElapsedTime(&first, start, middle));
    HIP(hipEventElapsedTime(&second, middle, stop));
    HIP(hipEventElapsedTime(&whole, start, stop));
    CHECK(first >= 0 && second > 1 && second > first && whole >= second && whole < 30000);
    float gap = whole - first - second;
    CHECK(gap < 0.01f && gap > -0.01f);
    HIP(hipEventDestroy(start));
}

static void many_streams()
{
    const int streams = 24;
    int least, greatest;
    HIP(hipDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(greatest < least);
    hipStream_t stream[streams];
    int *p[streams];
    hipEvent_t done[streams];
    for (int s = 0; s < streams; s++) {
        HIP(hipStreamCreateWithPriority(&stream[s], hipStreamNonBlocking, s % 3 ? least : greatest));
        HIP(hipEventCreateWithFlags(&done[s], hipEventDisableTiming));
        p[s] = device_memory();
    }
    HIP(hipDeviceSynchronize());
    /* a chain: each stream waits for the one before */
    for (int round = 0; round < 2; round++)
        for (int s = 0; s < streams; s++) {
            if (s)
                HIP(hipStreamWaitEvent(stream[s], done[s - 1], 0));
            if (s)
                HIP(hipMemcpyAsync(p[s], p[s - 1], bytes, hipMemcpyDeviceToDevice, stream[s]));
            add<<<8, 128, 0, stream[s]>>>(p[s], n, 1);
            HIP(hipEventRecord(done[s], stream[s]));
        }
    HIP(hipStreamSynchronize(stream[streams - 1]));
    expect(p[streams - 1], streams + 1, 0);
    for (int s = 0; s < streams; s++)
        HIP(hipStreamDestroy(stream[s]));
}

/* ---- Queries ---- */

__global__ __launch_bounds__(256) void with_lds(int *p)
{
    __shared__ int tile[256];
    tile[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = tile[255 - threadIdx.x];
}

static void queries()
{
    hipFuncAttributes f;
    int blocks, size, grid;
    hipDeviceProp_t d;
    HIP(hipFuncGetAttributes(&f, reinterpret_cast<const void *>(with_lds)));
    CHECK(f.sharedSizeBytes == 1024 && f.maxThreadsPerBlock == 256 && f.numRegs > 0);
    HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_lds, 256, 0));
    CHECK(blocks >= 1 && blocks <= 10);
    HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_lds, 256, 60 << 10));
    CHECK(blocks == 1);
    HIP(hipOccupancyMaxPotentialBlockSize(&grid, &size, with_lds, 0, 0));
    CHECK(size > 0 && size % 64 == 0 && grid > 0 && grid % 104 == 0);
    HIP(hipGetDeviceProperties(&d, 0));
    CHECK(!std::strncmp(d.gcnArchName, "gfx90a", 6) && d.warpSize == 64 && d.multiProcessorCount == 104);
    CHECK(d.sharedMemPerBlock == 65536 && d.maxThreadsPerBlock == 1024);
    size_t free_bytes, total;
    HIP(hipMemGetInfo(&free_bytes, &total));
    CHECK(free_bytes <= total && total == d.totalGlobalMem);
}

/* ---- The end of everything, and a new start ---- */

static void reset()
{
    int *p = device_memory();
    add<<<8, 128>>>(p, n, 1);
    HIP(hipDeviceReset());
    p = device_memory();
    add<<<8, 128>>>(p, n, 2);
    expect(p, 2, 0);
}

/* ---- Two GPUs ---- */

static void peers()
{
    int count, access;
    HIP(hipGetDeviceCount(&count));
    if (count < 2)
        return;
    int *p[2], *pinned;
    HIP(hipHostMalloc(reinterpret_cast<void **>(&pinned), bytes, hipHostMallocPortable));
    for (int d = 0; d < 2; d++) {
        HIP(hipSetDevice(d));
        p[d] = device_memory();
        add<<<8, 128>>>(p[d], n, d + 1);
        HIP(hipDeviceSynchronize());
    }
    HIP(hipMemcpyPeer(p[0], 0, p[1], 1, bytes / 2));
    std::vector<int> host(n);
    HIP(hipMemcpy(host.data(), p[0], bytes, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(host[i] == (i < n / 2 ? 2 : 1));
    HIP(hipDeviceCanAccessPeer(&access, 0, 1));
    if (access) {
        HIP(hipSetDevice(0));
        HIP(hipDeviceEnablePeerAccess(1, 0));
        scale<<<8, 128>>>(p[1], p[0], n, 21);
        expect(p[0], 42, 0);
    }
    for (int d = 0; d < 2; d++) { /* both work on the same host memory */
        HIP(hipSetDevice(d));
        scale<<<8, 128>>>(p[d], pinned, n, 1);
        HIP(hipDeviceSynchronize());
        CHECK(pinned[5] == (d ? 2 : access ? 42 : 2));
    }
    std::printf("peer access %d\n", access);
}

__global__ void count_all(int *counter, int *out)
{
    cooperative_groups::multi_grid_group all = cooperative_groups::this_multi_grid();
    if (threadIdx.x == 0)
        atomicAdd_system(counter, 1);
    all.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = __hip_atomic_load(counter, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}

/* A barrier of all work-groups of both GPUs. */
static void multi_grid()
{
    const int groups = 4;
    int count, *counter, *out[2], host[groups];
    HIP(hipGetDeviceCount(&count));
    if (count < 2)
        return;
    HIP(hipHostMalloc(reinterpret_cast<void **>(&counter), 4, hipHostMallocPortable | hipHostMallocCoherent));
    *counter = 0;
    hipLaunchParams launch[2] = {};
    void *arguments[2][2];
    for (int d = 0; d < 2; d++) {
        HIP(hipSetDevice(d));
        out[d] = device_memory();
        HIP(hipStreamCreate(&launch[d].stream));
        arguments[d][0] = &counter;
        arguments[d][1] = &out[d];
        launch[d].func = reinterpret_cast<void *>(count_all);
        launch[d].gridDim = dim3(groups);
        launch[d].blockDim = dim3(128);
        launch[d].args = arguments[d];
    }
    HIP(hipLaunchCooperativeKernelMultiDevice(launch, 2, 0));
    for (int d = 0; d < 2; d++) {
        HIP(hipSetDevice(d));
        HIP(hipStreamSynchronize(launch[d].stream));
        HIP(hipMemcpy(host, out[d], sizeof host, hipMemcpyDeviceToHost));
        for (int i = 0; i < groups; i++)
            CHECK(host[i] == 2 * groups);
    }
    HIP(hipSetDevice(0));
}

int main(int argc, char **argv)
{
    static const Test tests[] = {
        {"graph_capture", graph_capture},
        {"graph_explicit", graph_explicit},
        {"managed", managed},
        {"symbols", symbols},
        {"host_memory", host_memory},
        {"memset_patterns", memset_patterns},
        {"copies", copies},
        {"callbacks", callbacks},
        {"events", events},
        {"many_streams", many_streams},
        {"queries", queries},
        {"peers", peers},
        {"multi_grid", multi_grid},
        {"reset", reset},
        {"pools", pools},
    };
    return run_tests(tests, argc, argv);
}
