/*
 * End-to-end tests under the installed ROCr: test_rocr NAME [CODE_OBJECT [OTHER_CODE_OBJECT]], with
 * liblanescope-softgpu.so preloaded. Exit code 0 is success.
 */
#include "rocr.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *code_object, *other_code_object;

static void pattern(uint8_t *p, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(i * 17 + (i >> 9) + seed);
}

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

static void barrier(void)
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

static void copy(void)
{
    struct rocr r;
    rocr_open(&r);
    static const size_t sizes[] = {1, 5, 4095, 4096, 65537, 9000001};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t n = sizes[i];
        uint8_t *a = rocr_alloc(&r, r.host, n + 64), *b = rocr_alloc(&r, r.host, n + 64);
        uint8_t *d = rocr_alloc(&r, r.vram, n + 64), *e = rocr_alloc(&r, r.vram, n + 64);
        pattern(a, n + 64, (unsigned)i);
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
    pattern(src, SP * H * D, 1);
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
    pattern(host, n, 4);
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

static _Atomic int queue_error;
static _Atomic uint64_t fault_address;

static void on_queue_error(hsa_status_t status, hsa_queue_t *q, void *data)
{
    (void)q;
    (void)data;
    atomic_store(&queue_error, (int)status);
}

static hsa_status_t on_system_event(const hsa_amd_event_t *event, void *data)
{
    (void)data;
    if (event->event_type == HSA_AMD_GPU_MEMORY_FAULT_EVENT)
        atomic_store(&fault_address, event->memory_fault.virtual_address);
    return HSA_STATUS_SUCCESS;
}

/* Everything written to stderr from here on, for a look at it later. */
static int capture_stderr(void)
{
    int fd = memfd_create("stderr", 0);
    CHECK(fd >= 0 && dup2(fd, 2) == 2);
    return fd;
}

static void captured(int fd, char *text, size_t size)
{
    ssize_t n = pread(fd, text, size - 1, 0);
    CHECK(n >= 0);
    text[n] = 0;
    dup2(1, 2);
    printf("%s", text);
}

static void wait_for(_Atomic int *value)
{
    for (int i = 0; i < 10000 && !atomic_load(value); i++)
        usleep(1000);
}

static void error_of(const char *name, int status, const char *word)
{
    struct rocr r;
    char text[4096];
    rocr_open(&r);
    hsa_queue_t *q = rocr_queue(&r, on_queue_error, NULL);
    struct rocr_kernel k = rocr_kernel(&r, code_object, name);
    uint64_t *arg = rocr_alloc(&r, r.kernarg, 64);
    hsa_signal_t done = rocr_signal(1);
    arg[0] = (uintptr_t)rocr_alloc(&r, r.vram, 4096);
    int fd = capture_stderr();
    rocr_launch(q, &k, 1, arg, done);
    wait_for(&queue_error);
    captured(fd, text, sizeof text);
    CHECK(atomic_load(&queue_error) == status);
    CHECK(hsa_signal_load_scacquire(done) == 1); /* never completed */
    CHECK(strstr(text, "lanescope: GPU 0: ") == text);
    CHECK(strstr(text, word) && strstr(text, name) && strstr(text, "kernels.cl:"));
    CHECK(strchr(text, '\n') == text + strlen(text) - 1); /* one line */
    HSA(hsa_queue_destroy(q));
    HSA(hsa_shut_down());
}

static void error_illegal(void)
{
    error_of("illegal", HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION, "illegal instruction");
}

static void error_trap(void)
{
    error_of("abort_it", HSA_STATUS_ERROR_EXCEPTION, "trap");
}

static void error_page(void)
{
    struct rocr r;
    char text[4096], wanted[64];
    rocr_open(&r);
    HSA(hsa_amd_register_system_event_handler(on_system_event, NULL));
    hsa_queue_t *q = rocr_queue(&r, on_queue_error, NULL);
    struct rocr_kernel k = rocr_kernel(&r, code_object, "stray");
    uint64_t *arg = rocr_alloc(&r, r.kernarg, 64);
    arg[0] = (uintptr_t)rocr_alloc(&r, r.vram, 4096);
    arg[1] = 1ull << 40; /* elements of 4 bytes: 4 TiB away */
    uint64_t bad = arg[0] + (1ull << 42);
    int fd = capture_stderr();
    rocr_launch(q, &k, 1, arg, rocr_signal(1));
    for (int i = 0; i < 10000 && !atomic_load(&fault_address); i++)
        usleep(1000);
    captured(fd, text, sizeof text);
    CHECK(atomic_load(&fault_address) == (bad & ~4095ull));
    snprintf(wanted, sizeof wanted, "write to address 0x%llx", (unsigned long long)bad);
    CHECK(strstr(text, wanted) && strstr(text, "kernel stray at ") && strstr(text, "kernels.cl:12:"));
    CHECK(strstr(text, "lane 5"));
}

/* The report names where the jump went and where it stands, not the fetch behind it. */
static void error_jump(void)
{
    const uint64_t bad = 0x123456788000;
    struct rocr r;
    char text[4096];
    rocr_open(&r);
    HSA(hsa_amd_register_system_event_handler(on_system_event, NULL));
    hsa_queue_t *q = rocr_queue(&r, on_queue_error, NULL);
    struct rocr_kernel k = rocr_kernel(&r, code_object, "j");
    uint64_t *arg = rocr_alloc(&r, r.kernarg, 64);
    arg[0] = (uintptr_t)rocr_alloc(&r, r.vram, 4096);
    arg[1] = bad;
    int fd = capture_stderr();
    rocr_launch(q, &k, 1, arg, rocr_signal(1));
    for (int i = 0; i < 10000 && !atomic_load(&fault_address); i++)
        usleep(1000);
    captured(fd, text, sizeof text);
    CHECK(atomic_load(&fault_address) == bad);
    CHECK(strstr(text, "jump to 0x123456788000") && strstr(text, "read from address 0x123456788000"));
    CHECK(strstr(text, "kernel j at ") && strstr(text, "kernels.cl:61:") &&
          strstr(text, "instruction s_setpc_b64") && strstr(text, "work-group (0,0,0) wave 0"));
}

static void error_packet(void)
{
    struct rocr r;
    rocr_open(&r);
    hsa_queue_t *q = rocr_queue(&r, on_queue_error, NULL);
    struct rocr_kernel nothing = {0};
    rocr_launch(q, &nothing, 0, NULL, (hsa_signal_t){0}); /* an empty grid */
    wait_for(&queue_error);
    CHECK(atomic_load(&queue_error) == HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    HSA(hsa_queue_destroy(q));
    HSA(hsa_shut_down());
}

/* ---- Processes ---- */

static void launch_spin(struct rocr *r)
{
    hsa_queue_t *q = rocr_queue(r, NULL, NULL);
    struct rocr_kernel k = rocr_kernel(r, code_object, "spin");
    uint64_t *arg = rocr_alloc(r, r->kernarg, 64);
    uint32_t *flag = rocr_alloc(r, r->host, 4096);
    *flag = 0;
    arg[0] = (uintptr_t)flag;
    rocr_launch(q, &k, 1, arg, rocr_signal(1));
    usleep(50000);
}

static void exit_while_running(void)
{
    struct rocr r;
    rocr_open(&r);
    launch_spin(&r);
    exit(0);
}

static void quick_exit_while_running(void)
{
    struct rocr r;
    rocr_open(&r);
    launch_spin(&r);
    _exit(0);
}

static void destroy_while_running(void)
{
    struct rocr r;
    rocr_open(&r);
    hsa_queue_t *q = rocr_queue(&r, NULL, NULL);
    struct rocr_kernel k = rocr_kernel(&r, code_object, "spin");
    uint64_t *arg = rocr_alloc(&r, r.kernarg, 64);
    uint32_t *flag = rocr_alloc(&r, r.host, 4096);
    *flag = 0;
    arg[0] = (uintptr_t)flag;
    hsa_signal_t done = rocr_signal(1);
    rocr_launch(q, &k, 1, arg, done);
    usleep(50000);
    HSA(hsa_queue_destroy(q));
    *flag = 1;
    usleep(50000);
    CHECK(hsa_signal_load_scacquire(done) == 1);
    HSA(hsa_shut_down());
}

static void expect_child(pid_t pid)
{
    int status;
    CHECK(pid > 0);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* The child of a process without a GPU context makes its own; both work. */
static void fork_before(void)
{
    pid_t pid = fork();
    copy();
    if (pid == 0)
        exit(0);
    expect_child(pid);
}

/* The child leaves at once, or execs; the parent is not disturbed. */
static void fork_after(void)
{
    struct rocr r;
    rocr_open(&r);
    uint8_t *d = rocr_alloc(&r, r.vram, 4096), *a = rocr_alloc(&r, r.host, 4096);
    pattern(a, 4096, 9);
    for (int i = 0; i < 6; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            if (i % 3 == 0)
                _exit(0);
            if (i % 3 == 1)
                exit(0);
            execl("/proc/self/exe", "test_rocr", "copy", (char *)NULL);
            _exit(9);
        }
        rocr_copy(&r, d, a, 4096);
        CHECK(!memcmp(d, a, 4096));
        expect_child(pid);
        rocr_copy(&r, a, d, 4096);
    }
    HSA(hsa_shut_down());
}

/* Up and down several times in one process. */
static void again(void)
{
    for (int i = 0; i < 3; i++) {
        copy();
        barrier();
    }
}

struct usage {
    double cpu_seconds;
    long sleeps; /* voluntary context switches */
};

static struct usage usage(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (struct usage){(double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                              (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6,
                          u.ru_nvcsw};
}

/* What a wake-up costs depends on the machine and what else runs there (5 to 40 us), so the number of
 * wake-ups is what is checked; the share of a core is printed. */
static void idle_with(long most_sleeps)
{
    struct rocr r;
    rocr_open(&r);
    hsa_queue_t *q = rocr_queue(&r, NULL, NULL);
    hsa_signal_t done = rocr_signal(1);
    hsa_barrier_and_packet_t p = {.header = HSA_PACKET_TYPE_BARRIER_AND, .completion_signal = done};
    rocr_submit(q, &p);
    CHECK(rocr_wait(done));
    usleep(600000);
    struct usage before = usage();
    usleep(2000000);
    struct usage after = usage();
    double used = after.cpu_seconds - before.cpu_seconds;
    printf("idle: %ld wake-ups, %.2f %% of a core\n", after.sleeps - before.sleeps, used / 2 * 100);
    CHECK(after.sleeps - before.sleeps <= most_sleeps);
    CHECK(used < 1); /* nobody spins */
    hsa_signal_store_relaxed(done, 1);
    rocr_submit(q, &p); /* and it wakes up */
    CHECK(rocr_wait(done));
    HSA(hsa_shut_down());
}

/* One look in 250 ms (8 in all), and a few of ROCr's own. */
static void idle(void)
{
    idle_with(40);
}

/* Containers often forbid userfaultfd: then the command processor naps, which must cost little too. */
static void idle_without_userfaultfd(void)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof program / sizeof program[0], program};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
    CHECK(syscall(SYS_userfaultfd, 0) == -1 && errno == EPERM);
    idle_with(2000 / 4 + 40); /* naps of 4 ms */
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
        pattern(a, n, x);
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

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"agent", agent},
    {"barrier", barrier},
    {"copy", copy},
    {"rect", rect},
    {"lock", lock},
    {"reuse", reuse},
    {"profile", profile},
    {"kernel", kernel},
    {"reload", reload},
    {"error-illegal", error_illegal},
    {"error-trap", error_trap},
    {"error-page", error_page},
    {"error-jump", error_jump},
    {"error-packet", error_packet},
    {"exit-while-running", exit_while_running},
    {"quick-exit-while-running", quick_exit_while_running},
    {"destroy-while-running", destroy_while_running},
    {"fork-before", fork_before},
    {"fork-after", fork_after},
    {"again", again},
    {"idle", idle},
    {"idle-without-userfaultfd", idle_without_userfaultfd},
    {"two-gpus", two_gpus},
    {"stress", stress},
};

int main(int argc, char **argv)
{
    code_object = argc > 2 ? argv[2] : NULL;
    other_code_object = argc > 3 ? argv[3] : NULL;
    for (size_t i = 0; argc > 1 && i < sizeof tests / sizeof tests[0]; i++) {
        if (!strcmp(tests[i].name, argv[1])) {
            tests[i].run();
            return 0;
        }
    }
    fprintf(stderr, "usage: test_rocr NAME [CODE_OBJECT [OTHER_CODE_OBJECT]]\n");
    return 2;
}
