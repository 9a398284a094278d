/* rocr_errors.c - what a program and its user are told of a kernel that fails. */
#include "test_rocr.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* What stderr says until the kernel faults, which gets memory of the GPU and `second`. Returns where that memory is. */
static uint64_t fault(const char *kernel, uint64_t second, char *text, size_t size)
{
    struct rocr r;
    rocr_open(&r);
    HSA(hsa_amd_register_system_event_handler(on_system_event, NULL));
    hsa_queue_t *q = rocr_queue(&r, on_queue_error, NULL);
    struct rocr_kernel k = rocr_kernel(&r, code_object, kernel);
    uint64_t *arg = rocr_alloc(&r, r.kernarg, 64);
    arg[0] = (uintptr_t)rocr_alloc(&r, r.vram, 4096);
    arg[1] = second;
    const uint64_t memory = arg[0];
    int fd = capture_stderr();
    rocr_launch(q, &k, 1, arg, rocr_signal(1));
    for (int i = 0; i < 10000 && !atomic_load(&fault_address); i++)
        usleep(1000);
    captured(fd, text, size);
    return memory;
}

static void error_page(void)
{
    char text[4096], wanted[64];
    /* elements of 4 bytes: 4 TiB away */
    const uint64_t bad = fault("stray", 1ull << 40, text, sizeof text) + (1ull << 42);
    CHECK(atomic_load(&fault_address) == (bad & ~4095ull));
    snprintf(wanted, sizeof wanted, "write to address 0x%llx", (unsigned long long)bad);
    CHECK(strstr(text, wanted) && strstr(text, "kernel stray at ") && strstr(text, "kernels.cl:12:"));
    CHECK(strstr(text, "lane 5"));
}

/* The report names where the jump went and where it stands, not the fetch behind it. */
static void error_jump(void)
{
    const uint64_t bad = 0x123456788000;
    char text[4096];
    fault("j", bad, text, sizeof text);
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

const struct rocr_test error_tests[] = {
    {"error-illegal", error_illegal}, {"error-trap", error_trap},     {"error-page", error_page},
    {"error-jump", error_jump},       {"error-packet", error_packet}, {0},
};
