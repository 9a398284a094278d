/* rocr_processes.c - processes that end, fork, start again, and wait. */
#include "test_rocr.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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
    fill_pattern(a, 4096, 9);
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

const struct rocr_test process_tests[] = {
    {"exit-while-running", exit_while_running},
    {"quick-exit-while-running", quick_exit_while_running},
    {"destroy-while-running", destroy_while_running},
    {"fork-before", fork_before},
    {"fork-after", fork_after},
    {"again", again},
    {"idle", idle},
    {"idle-without-userfaultfd", idle_without_userfaultfd},
    {0},
};
