/* fork, exec, and memory shared between processes. */
#include "check.h"
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static const int n = 1000, bytes = n * 4;
static char *self;

__global__ void add(int *p, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += by;
}

static int *numbers(int by)
{
    int *p;
    HIP(hipMalloc(&p, bytes));
    HIP(hipMemset(p, 0, bytes));
    add<<<8, 128>>>(p, by);
    HIP(hipDeviceSynchronize());
    return p;
}

static void expect(const int *p, int value)
{
    std::vector<int> host(n);
    HIP(hipMemcpy(host.data(), p, bytes, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(host[i] == value);
}

static int exit_code(pid_t child)
{
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* This program again, in a child that has never seen the parent's GPU. */
static int run_self(const char *role, const char *argument)
{
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execl(self, self, role, argument, nullptr);
        _exit(99);
    }
    return exit_code(child);
}

static void fork_of_parent()
{
    int *p = numbers(3);
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(p ? 7 : 8);  /* no GPU in a forked child: as on hardware */
    add<<<8, 128>>>(p, 4); /* while the child lives, perhaps */
    CHECK(exit_code(child) == 7);
    expect(p, 7);
    HIP(hipFree(p));
}

static void exec()
{
    int *p = numbers(3);
    CHECK(run_self("compute", "11") == 0);
    expect(p, 3); /* the child's memory is its own */
    HIP(hipFree(p));
}

static std::string name_of(const hipIpcMemHandle_t &handle)
{
    std::string name;
    for (unsigned char c : handle.reserved) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", c);
        name += digits;
    }
    return name;
}

static void ipc()
{
    int *p = numbers(20), *q = numbers(1);
    hipIpcMemHandle_t handle, other;
    HIP(hipIpcGetMemHandle(&handle, p));
    HIP(hipIpcGetMemHandle(&other, q));
    CHECK(run_self("open", name_of(handle).c_str()) == 0);
    expect(p, 25);                                         /* the child added 5 */
    CHECK(run_self("open", name_of(handle).c_str()) == 1); /* it finds 25 where it wants 20 */
    expect(p, 25);
    expect(q, 1);
    HIP(hipFree(q));
    HIP(hipFree(p));
}

/* ROCr 7's client waits for ever for a descriptor that the owner cannot send. */
static void ipc_freed()
{
    hipIpcMemHandle_t other;
    void *large; /* ROCr keeps a pool of small blocks; this one goes back to the driver */
    HIP(hipMalloc(&large, 16 << 20));
    HIP(hipIpcGetMemHandle(&other, large));
    HIP(hipFree(large));
    CHECK(run_self("refused", name_of(other).c_str()) == 0);
}

/* ---- In the child ---- */

static hipIpcMemHandle_t handle_of(const char *name)
{
    hipIpcMemHandle_t handle;
    for (size_t i = 0; i < sizeof handle.reserved; i++) {
        unsigned byte;
        CHECK(std::sscanf(name + 2 * i, "%2x", &byte) == 1);
        handle.reserved[i] = (char)byte;
    }
    return handle;
}

static int open_theirs(const char *name)
{
    int *p, first;
    HIP(hipIpcOpenMemHandle(reinterpret_cast<void **>(&p), handle_of(name), hipIpcMemLazyEnablePeerAccess));
    HIP(hipMemcpy(&first, p + n - 1, 4, hipMemcpyDeviceToHost));
    if (first != 20)
        return 1;
    expect(p, 20);
    add<<<8, 128>>>(p, 5);
    HIP(hipDeviceSynchronize());
    HIP(hipIpcCloseMemHandle(p));
    int *own = numbers(2); /* at the same place, perhaps */
    expect(own, 2);
    return 0;
}

static int refused(const char *name)
{
    void *p;
    return hipIpcOpenMemHandle(&p, handle_of(name), hipIpcMemLazyEnablePeerAccess) == hipSuccess;
}

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc == 3 && !std::strcmp(argv[1], "compute")) {
        expect(numbers(std::atoi(argv[2])), std::atoi(argv[2]));
        return 0;
    }
    if (argc == 3 && !std::strcmp(argv[1], "open"))
        return open_theirs(argv[2]);
    if (argc == 3 && !std::strcmp(argv[1], "refused"))
        return refused(argv[2]);
    static const Test tests[] = {{"fork_of_parent", fork_of_parent}, {"exec", exec}, {"ipc", ipc},
                                 {"ipc_freed", ipc_freed}};
    return run_tests(tests, argc, argv);
}
