/* Device memory that processes share by IPC handles: many at once, handles opened twice, owners that end first. Needs two
 * GPUs for peer. The children are this program again, which have never seen their parent's GPU. */
#include "check.h"
#include <csignal>
#include <dirent.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static char *self;

__global__ void add(int *p, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += by;
}

__global__ void count(int *p, int times)
{
    for (int i = 0; i < times; i++)
        atomicAdd_system(p, 1);
}

static void run_add(int *p, int n, int by)
{
    add<<<(n + 127) / 128, 128>>>(p, n, by);
    HIP(hipDeviceSynchronize());
}

static int *numbers(int n, int value)
{
    int *p;
    HIP(hipMalloc(&p, n * sizeof(int)));
    HIP(hipMemset(p, 0, n * sizeof(int)));
    run_add(p, n, value);
    return p;
}

static bool all_are(const int *p, int n, int value)
{
    std::vector<int> host(n);
    HIP(hipMemcpy(host.data(), p, n * sizeof(int), hipMemcpyDeviceToHost));
    for (int x : host)
        if (x != value)
            return false;
    return true;
}

static hipIpcMemHandle_t handle_of(int *p)
{
    hipIpcMemHandle_t handle;
    HIP(hipIpcGetMemHandle(&handle, p));
    return handle;
}

static int *opened(const hipIpcMemHandle_t &handle)
{
    void *p;
    HIP(hipIpcOpenMemHandle(&p, handle, hipIpcMemLazyEnablePeerAccess));
    return static_cast<int *>(p);
}

static int descriptors()
{
    int n = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

/* ---- This program as a child, and what goes to and fro ---- */

struct Child {
    pid_t pid;
    int to, from;

    explicit Child(const char *role)
    {
        int down[2], up[2];
        CHECK(pipe(down) == 0 && pipe(up) == 0);
        std::fflush(stdout);
        pid = fork();
        if (pid == 0) {
            dup2(down[0], 0);
            dup2(up[1], 3);
            for (int fd : {down[0], down[1], up[0], up[1]})
                if (fd > 3)
                    close(fd);
            execl(self, self, role, nullptr);
            _exit(99);
        }
        close(down[0]);
        close(up[1]);
        to = down[1];
        from = up[0];
    }

    template <typename T> void send(const T &x)
    {
        CHECK(write(to, &x, sizeof x) == sizeof x);
    }
    template <typename T> T get()
    {
        T x;
        CHECK(read(from, &x, sizeof x) == sizeof x);
        return x;
    }

    void end()
    {
        int status;
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        close(to);
        close(from);
    }
};

template <typename T> static void tell(const T &x)
{
    CHECK(write(3, &x, sizeof x) == sizeof x);
}

template <typename T> static T hear()
{
    T x;
    CHECK(read(0, &x, sizeof x) == sizeof x);
    return x;
}

/* ---- Several handles at once ---- */

/* Sizes in ints: in ROCr's pool of small blocks, next to each other; odd ones; whole and huge pages. */
static const int sizes[] = {1, 64, 1000, 1024, 1025, 100003, 1 << 19, (1 << 20) + 7};
static const int many = sizeof sizes / sizeof *sizes;

static void open_many()
{
    int *p[many];
    for (int i = 0; i < many; i++)
        p[i] = opened(hear<hipIpcMemHandle_t>());
    for (int i = 0; i < many; i++) {
        CHECK(all_are(p[i], sizes[i], 10 + i));
        run_add(p[i], sizes[i], 100);
    }
    for (int i = 0; i < many; i += 2)
        HIP(hipIpcCloseMemHandle(p[i]));
    for (int i = 1; i < many; i += 2) {
        CHECK(all_are(p[i], sizes[i], 110 + i)); /* whatever else was closed */
        HIP(hipIpcCloseMemHandle(p[i]));
    }
}

static void several()
{
    int *p[many];
    Child child("open_many");
    for (int i = 0; i < many; i++)
        p[i] = numbers(sizes[i], 10 + i);
    for (int i = 0; i < many; i++)
        child.send(handle_of(p[i]));
    child.end();
    for (int i = 0; i < many; i++) {
        CHECK(all_are(p[i], sizes[i], 110 + i));
        HIP(hipFree(p[i]));
    }
}

/* ---- The same handle, twice at a time and again and again ---- */

static void open_twice()
{
    const hipIpcMemHandle_t handle = hear<hipIpcMemHandle_t>();
    int *p = opened(handle), *q = opened(handle);
    run_add(p, 5000, 1);
    CHECK(all_are(q, 5000, 4));
    HIP(hipIpcCloseMemHandle(p));
    run_add(q, 5000, 1);
    CHECK(all_are(q, 5000, 5));
    HIP(hipIpcCloseMemHandle(q));
    int before = 0;
    for (int i = 0; i < 100; i++) {
        if (i == 10)
            before = descriptors();
        p = opened(handle);
        run_add(p, 5000, 1);
        HIP(hipIpcCloseMemHandle(p));
    }
    CHECK(descriptors() <= before);
}

static void twice()
{
    int *p = numbers(5000, 3);
    Child child("open_twice");
    const hipIpcMemHandle_t handle = handle_of(p), again = handle_of(p);
    (void)again; /* also asked for twice */
    child.send(handle);
    child.end();
    CHECK(all_are(p, 5000, 105));
    HIP(hipFree(p));
}

/* ---- The owner ends first ---- */

static void own()
{
    int *p = numbers(300000, 9);
    tell(handle_of(p));
    hear<int>(); /* the end of the pipe, or a word */
}

static void check_orphan(bool killed)
{
    Child owner("own");
    int *p = opened(owner.get<hipIpcMemHandle_t>());
    CHECK(all_are(p, 300000, 9));
    if (killed) {
        int status;
        kill(owner.pid, SIGKILL);
        CHECK(waitpid(owner.pid, &status, 0) == owner.pid && WIFSIGNALED(status));
    } else {
        owner.send(0);
        owner.end();
    }
    run_add(p, 300000, 2);
    CHECK(all_are(p, 300000, 11));
    int *mine = numbers(300000, 1); /* not at the same bytes */
    CHECK(all_are(p, 300000, 11) && all_are(mine, 300000, 1));
    HIP(hipFree(mine));
    HIP(hipIpcCloseMemHandle(p));
}

static void owner_ends()
{
    check_orphan(false);
}

static void owner_killed()
{
    check_orphan(true);
}

/* ---- Several processes at a time ---- */

static void open_count()
{
    int *p = opened(hear<hipIpcMemHandle_t>());
    tell(1);
    hear<int>(); /* all have it open */
    count<<<4, 64>>>(p, 50);
    HIP(hipDeviceSynchronize());
    HIP(hipIpcCloseMemHandle(p));
}

static void together()
{
    int *p = numbers(1, 0);
    std::vector<Child> children;
    for (int i = 0; i < 3; i++)
        children.emplace_back("open_count");
    for (Child &c : children)
        c.send(handle_of(p));
    for (Child &c : children)
        c.get<int>();
    for (Child &c : children)
        c.send(0);
    count<<<4, 64>>>(p, 50);
    HIP(hipDeviceSynchronize());
    for (Child &c : children)
        c.end();
    CHECK(all_are(p, 1, 4 * 256 * 50)); /* four processes of 256 lanes */
    HIP(hipFree(p));
}

/* Each has the other's open, as RCCL's ranks do. */
static void open_crossed()
{
    int *p = numbers(3000, 40), *theirs = opened(hear<hipIpcMemHandle_t>());
    tell(handle_of(p));
    HIP(hipMemcpy(theirs, p, 3000 * sizeof(int), hipMemcpyDeviceToDevice));
    HIP(hipDeviceSynchronize());
    tell(1);
    hear<int>();
    CHECK(all_are(p, 3000, 41));
    HIP(hipIpcCloseMemHandle(theirs));
    HIP(hipFree(p));
}

static void crossed()
{
    int *p = numbers(3000, 30);
    Child child("open_crossed");
    child.send(handle_of(p));
    int *theirs = opened(child.get<hipIpcMemHandle_t>());
    child.get<int>();
    CHECK(all_are(p, 3000, 40));
    run_add(theirs, 3000, 1);
    HIP(hipIpcCloseMemHandle(theirs));
    child.send(0);
    child.end();
    HIP(hipFree(p));
}

/* ---- Memory of a GPU that is not the current one ---- */

static void open_peer()
{
    int *p = opened(hear<hipIpcMemHandle_t>());
    CHECK(all_are(p, 2000, 8));
    run_add(p, 2000, 1);
    HIP(hipIpcCloseMemHandle(p));
}

static void peer()
{
    HIP(hipSetDevice(1));
    int *p = numbers(2000, 8);
    Child child("open_peer");
    child.send(handle_of(p));
    child.end();
    CHECK(all_are(p, 2000, 9));
    HIP(hipFree(p));
    HIP(hipSetDevice(0));
}

int main(int argc, char **argv)
{
    static const Test roles[] = {
        {"open_many", open_many},   {"open_twice", open_twice},     {"own", own},
        {"open_count", open_count}, {"open_crossed", open_crossed}, {"open_peer", open_peer}};
    static const Test tests[] = {{"several", several},
                                 {"twice", twice},
                                 {"owner_ends", owner_ends},
                                 {"owner_killed", owner_killed},
                                 {"together", together},
                                 {"crossed", crossed},
                                 {"peer", peer}};
    self = argv[0];
    for (const Test &role : roles)
        if (argc == 2 && !std::strcmp(argv[1], role.name)) {
            role.run();
            return 0;
        }
    return run_tests(tests, argc, argv);
}
