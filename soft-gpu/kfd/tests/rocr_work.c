/* rocr_work.c - agents, queues, memory, kernels, several GPUs and many threads. */
#include "test_rocr.h"

#include <pthread.h>
#include <unistd.h>

/* ---- What the agent says ---- */

static void agent(void)
{
    struct rocr r;
    char name[64];
    uint32_t wave, cus;
    size_t bytes;
    rocr_open(&r);
    CHECK(r.gpus == 1);
    HSA(hsa_agent_get_info(r.gpu, HSA_AGENT_INFO_NAME, name));
    CHECK(!strcmp(name, "gfx90a"));
    HSA(hsa_agent_get_info(r.gpu, HSA_AGENT_INFO_WAVEFRONT_SIZE, &wave));
    CHECK(wave == 64);
    HSA(hsa_agent_get_info(r.gpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &cus));
    CHECK(cus == 104); /* MI210 */
    HSA(hsa_amd_memory_pool_get_info(r.vram, HSA_AMD_MEMORY_POOL_INFO_SIZE, &bytes));
    CHECK(bytes == 64ull << 30);
    HSA(hsa_shut_down());
}

/* ---- Queues ---- */

void barrier(void)
{
    struct rocr r;
    rocr_open(&r);
    hsa_queue_t *q = rocr_queue(&r, NULL, NULL);
    hsa_signal_t dep = rocr_signal(1), done = rocr_signal(1);
    hsa_barrier_and_packet_t p = {
        .header = HSA_PACKET_TYPE_BARRIER_AND, .dep_signal = {dep}, .completion_signal = done};
    rocr_submit(q, &p);
    usleep(20000);
    CHECK(hsa_signal_load_scacquire(done) == 1);
    hsa_signal_store_screlease(dep, 0);
    CHECK(rocr_wait(done));
    for (int i = 0; i < 5000; i++) { /* several times round the ring */
        hsa_barrier_and_packet_t more = {.header = HSA_PACKET_TYPE_BARRIER_AND};
        if (i == 4999) {
            hsa_signal_store_relaxed(done, 1);
            more.completion_signal = done;
        }
        rocr_submit(q, &more);
    }
    CHECK(rocr_wait(done));
    HSA(hsa_queue_destroy(q));
    HSA(hsa_shut_down());
}

/* ---- Memory ---- */

void copy(void)
{
    struct rocr r;
    rocr_open(&r);
    static const size_t sizes[] = {1, 5, 4095, 4096, 65537, 9000001};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t n = sizes[i];
        uint8_t *a = rocr_alloc(&r, r.host, n + 64), *b = rocr_alloc(&r, r.host, n + 64);
        uint8_t *d = rocr_alloc(&r, r.vram, n + 64), *e = rocr_alloc(&r, r.vram, n + 64);
        fill_pattern(a, n + 64, (unsigned)i);
        memset(b, 0xee, n + 64);
        rocr_copy(&r, d + 3, a + 1, n);
        rocr_copy(&r, e + 2, d + 3, n);
        rocr_copy(&r, b + 7, e + 2, n);
        CHECK(!memcmp(a + 1, b + 7, n));
        CHECK(b[6] == 0xee && b[7 + n] == 0xee);
        CHECK(!memcmp(e + 2, a + 1, n)); /* large BAR: the CPU sees VRAM */
        HSA(hsa_amd_memory_pool_free(a));
        HSA(hsa_amd_memory_pool_free(b));
        HSA(hsa_amd_memory_pool_free(d));
        HSA(hsa_amd_memory_pool_free(e));
    }
    uint32_t *f = rocr_alloc(&r, r.vram, 1 << 20);
    HSA(hsa_amd_memory_fill(f, 0xdeadbeef, 1 << 18));
    for (unsigned i = 0; i < 1 << 18; i++)
        CHECK(f[i] == 0xdeadbeef);
    HSA(hsa_shut_down());
}

static void rect(void)
{
    struct rocr r;
    rocr_open(&r);
    enum { SP = 96, DP = 160, H = 12, D = 3 };
    uint8_t *src = rocr_alloc(&r, r.host, SP * H * D), *dst = rocr_alloc(&r, r.vram, DP * H * D);
    fill_pattern(src, SP * H * D, 1);
    memset(dst, 0, DP * H * D);
    hsa_pitched_ptr_t s = {src, SP, SP * H}, d = {dst, DP, DP * H};
    hsa_dim3_t so = {8, 1, 0}, dof = {20, 2, 1}, range = {52, 7, 2};
    hsa_signal_t done = rocr_signal(1);
    HSA(hsa_amd_memory_async_copy_rect(&d, &dof, &s, &so, &range, r.gpu, hsaHostToDevice, 0, NULL, done));
    CHECK(rocr_wait(done));
    for (unsigned z = 0; z < D; z++)
        for (unsigned y = 0; y < H; y++)
            for (unsigned x = 0; x < DP; x++) {
                bool in = z >= 1 && z < 3 && y >= 2 && y < 9 && x >= 20 && x < 72;
                uint8_t want = in ? src[(z - 1) * SP * H + (y - 1) * SP + x - 12] : 0;
                CHECK(dst[z * DP * H + y * DP + x] == want);
            }
    HSA(hsa_shut_down());
}

static void lock(void)
{
    struct rocr r;
    rocr_open(&r);
    size_t n = 300000;
    uint8_t *host = malloc(n), *vram = rocr_alloc(&r, r.vram, n);
    void *agent_view;
    fill_pattern(host, n, 4);
    HSA(hsa_amd_memory_lock(host, n, &r.gpu, 1, &agent_view));
    rocr_copy(&r, vram, agent_view, n);
    CHECK(!memcmp(vram, host, n));
    memset(vram, 0x3c, n);
    rocr_copy(&r, agent_view, vram, n);
    for (size_t i = 0; i < n; i++)
        CHECK(host[i] == 0x3c);
    HSA(hsa_amd_memory_unlock(host));
    free(host);
    HSA(hsa_shut_down());
}

/* Offsets come back: far more than VRAM in total, far more allocations than offsets at once. */
static void reuse(void)
{
    struct rocr r;
    rocr_open(&r);
    for (int i = 0; i < 200; i++) {
        uint8_t *p = rocr_alloc(&r, r.vram, 1ull << 30);
        CHECK(p[0] == 0 && p[(1 << 30) - 1] == 0);
        p[0] = p[(1 << 30) - 1] = 1;
        HSA(hsa_amd_memory_pool_free(p));
    }
    void *p;
    CHECK(hsa_amd_memory_pool_allocate(r.vram, 65ull << 30, 0, &p) != HSA_STATUS_SUCCESS);
    HSA(hsa_shut_down());
}

static void profile(void)
{
    struct rocr r;
    rocr_open(&r);
    HSA(hsa_amd_profiling_async_copy_enable(true));
    uint8_t *a = rocr_alloc(&r, r.host, 1 << 22), *d = rocr_alloc(&r, r.vram, 1 << 22);
    hsa_signal_t done = rocr_signal(1);
    hsa_amd_profiling_async_copy_time_t t;
    uint64_t before, after, frequency;
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
    HSA(hsa_amd_memory_async_copy(d, r.gpu, a, r.cpu, 1 << 22, 0, NULL, done));
    CHECK(rocr_wait(done));
    HSA(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
    HSA(hsa_amd_profiling_get_async_copy_time(done, &t));
    /* The two clocks are matched to better than a millisecond. */
    uint64_t slack = frequency / 1000;
    CHECK(t.start < t.end && t.start + slack >= before && t.end <= after + slack);
    HSA(hsa_shut_down());
}

/* ---- Kernels ---- */

static void kernel(void)
{
    struct rocr r;
    rocr_open(&r);
    hsa_queue_t *q = rocr_queue(&r, NULL, NULL);
    struct rocr_kernel fill = rocr_kernel(&r, code_object, "fill");
    struct rocr_kernel private = rocr_kernel(&r, code_object, "private_array");
    CHECK(private.private_bytes >= 800);
    uint32_t *out = rocr_alloc(&r, r.host, 64 * 100 * 4);
    struct {
        uint32_t *out;
        uint32_t value;
    } *arg = rocr_alloc(&r, r.kernarg, 64);
    hsa_signal_t done = rocr_signal(1);
    arg->out = out;
    arg->value = 0x1234567;
    rocr_launch(q, &fill, 100, arg, done);
    CHECK(rocr_wait(done));
    for (unsigned i = 0; i < 6400; i++)
        CHECK(out[i] == 0x1234567);
    hsa_signal_store_relaxed(done, 1);
    arg->value = 11;
    rocr_launch(q, &private, 100, arg, done);
    CHECK(rocr_wait(done));
    for (unsigned g = 0; g < 100; g++)
        for (unsigned t = 0; t < 64; t++) {
            uint32_t sum = 0;
            for (unsigned i = 0; i < 200; i++)
                sum += (i * 7 + t) % 200 * 11 + t;
            CHECK(out[g * 64 + t] == sum);
        }
    HSA(hsa_queue_destroy(q));
    HSA(hsa_shut_down());
}

/* Code that replaces other code at the same address must be decoded again: loaded by the runtime, which often
 * gets a freed address again, and copied over a kernel that has run. */
static void reload(void)
{
    struct rocr r;
    struct rocr_kernel k[2];
    rocr_open(&r);
    hsa_queue_t *q = rocr_queue(&r, NULL, NULL);
    uint32_t *out = rocr_alloc(&r, r.host, 256);
    uint64_t *arg = rocr_alloc(&r, r.kernarg, 64), code[2];
    hsa_signal_t done = rocr_signal(0);
    arg[0] = (uintptr_t)out;
    for (unsigned i = 0; i < 40; i++) {
        unsigned version = i * 7 / 3 % 2; /* no simple rhythm */
        k[0] = rocr_kernel(&r, version ? other_code_object : code_object, "version");
        hsa_signal_store_relaxed(done, 1);
        rocr_launch(q, &k[0], 1, arg, done);
        CHECK(rocr_wait(done));
        CHECK(out[0] == 1 + version && out[63] == 1 + version);
        HSA(hsa_executable_destroy(k[0].executable));
    }
    for (unsigned i = 0; i < 2; i++) {
        k[i] = rocr_kernel(&r, i ? other_code_object : code_object, "version");
        int64_t entry;
        rocr_copy(&r, arg + 4, (const void *)(k[i].object + 16), 8); /* kernel_code_entry_byte_offset */
        memcpy(&entry, arg + 4, 8);
        code[i] = k[i].object + (uint64_t)entry;
    }
    for (unsigned i = 0; i < 2; i++) {
        hsa_signal_store_relaxed(done, 1);
        rocr_launch(q, &k[0], 1, arg, done);
        CHECK(rocr_wait(done));
        CHECK(out[0] == 1 + i);
        rocr_copy(&r, (void *)code[0], (const void *)code[1], 64); /* the whole kernel fits */
    }
    HSA(hsa_shut_down());
}

/* ---- Two GPUs ---- */

static hsa_status_t collect_gpu(hsa_agent_t agent, void *arg)
{
    hsa_agent_t **next = arg;
    hsa_device_type_t type;
    HSA(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    if (type == HSA_DEVICE_TYPE_GPU)
        *(*next)++ = agent;
    return HSA_STATUS_SUCCESS;
}

/* Memory of the first, written by a kernel of the second; memory that was not shared faults nowhere else. */
static void two_gpus(void)
{
    struct rocr r, second;
    hsa_agent_t gpu[2] = {{0}}, *next = gpu;
    rocr_open(&r);
    CHECK(r.gpus == 2);
    HSA(hsa_iterate_agents(collect_gpu, &next));
    second = r;
    second.gpu = gpu[1];
    hsa_queue_t *q = rocr_queue(&second, NULL, NULL);
    struct rocr_kernel fill = rocr_kernel(&second, code_object, "fill");
    uint32_t *out = rocr_alloc(&r, r.vram, 4096);
    hsa_agent_t all[3] = {r.cpu, gpu[0], gpu[1]};
    HSA(hsa_amd_agents_allow_access(3, all, NULL, out));
    struct {
        uint32_t *out;
        uint32_t value;
    } *arg = rocr_alloc(&second, r.kernarg, 64);
    *arg = (__typeof__(*arg)){out, 0xabcd};
    hsa_signal_t done = rocr_signal(1);
    rocr_launch(q, &fill, 4, arg, done);
    CHECK(rocr_wait(done));
    uint32_t *back = rocr_alloc(&r, r.host, 4096);
    rocr_copy(&r, back, out, 1024);
    for (unsigned i = 0; i < 256; i++)
        CHECK(back[i] == 0xabcd);
    HSA(hsa_shut_down());
}

/* ---- Stress ---- */

struct worker {
    struct rocr *r;
    unsigned seed;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    struct rocr *r = w->r;
    unsigned x = w->seed;
    hsa_signal_t dep = rocr_signal(0), done = rocr_signal(0);
    struct rocr_kernel fill = rocr_kernel(r, code_object, "fill");
    struct {
        uint32_t *out;
        uint32_t value;
    } *args = rocr_alloc(r, r->kernarg, 64);
    for (int round = 0; round < 25; round++) {
        hsa_queue_t *q = rocr_queue(r, NULL, NULL);
        x = x * 1664525u + 1013904223u;
        size_t n = 1 + (x >> 12) % 200000;
        uint8_t *a = rocr_alloc(r, r->host, n), *b = rocr_alloc(r, r->host, n),
                *d = rocr_alloc(r, r->vram, n);
        fill_pattern(a, n, x);
        hsa_signal_store_relaxed(done, 1);
        HSA(hsa_amd_memory_async_copy(d, r->gpu, a, r->cpu, n, 0, NULL, done));
        CHECK(rocr_wait(done));
        hsa_signal_store_relaxed(done, 1);
        HSA(hsa_amd_memory_async_copy(b, r->cpu, d, r->gpu, n, 0, NULL, done));
        CHECK(rocr_wait(done));
        CHECK(!memcmp(a, b, n));
        hsa_signal_store_relaxed(dep, 1);
        hsa_signal_store_relaxed(done, 2);
        hsa_barrier_and_packet_t p = {
            .header = HSA_PACKET_TYPE_BARRIER_AND, .dep_signal = {dep}, .completion_signal = done};
        rocr_submit(q, &p);
        args->out = rocr_alloc(r, r->host, 256 * 8);
        args->value = x;
        rocr_launch(q, &fill, 8, args, done);
        hsa_signal_store_screlease(dep, 0);
        CHECK(rocr_wait(done));
        for (unsigned i = 0; i < 512; i++)
            CHECK(args->out[i] == x);
        HSA(hsa_amd_memory_pool_free(args->out));
        HSA(hsa_amd_memory_pool_free(a));
        HSA(hsa_amd_memory_pool_free(b));
        HSA(hsa_amd_memory_pool_free(d));
        HSA(hsa_queue_destroy(q));
    }
    return NULL;
}

static void stress(void)
{
    struct rocr r;
    pthread_t thread[6];
    struct worker w[6];
    rocr_open(&r);
    for (unsigned i = 0; i < 6; i++) {
        w[i] = (struct worker){&r, 77 * i + 1};
        CHECK(pthread_create(&thread[i], NULL, work, &w[i]) == 0);
    }
    for (unsigned i = 0; i < 6; i++)
        pthread_join(thread[i], NULL);
    HSA(hsa_shut_down());
}

const struct rocr_test work_tests[] = {
    {"agent", agent},   {"barrier", barrier},   {"copy", copy},       {"rect", rect},
    {"lock", lock},     {"reuse", reuse},       {"profile", profile}, {"kernel", kernel},
    {"reload", reload}, {"two-gpus", two_gpus}, {"stress", stress},   {0},
};
