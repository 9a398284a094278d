// Programs that do to themselves what most do not, before, between and after two launches: argument 1 says what.
#include <hip/hip_runtime.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

namespace größe {
template <typename T, int N> struct 盒子 { T v[N]; };
template <typename T, int N> __global__ void füllen(盒子<T, N> *p) { p[threadIdx.x].v[N - 1] = T(1); } // UNICODE
}

__global__ void nothing() {}

__global__ void fill(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = i; // FILL
}

__global__ void cube(int *p)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    p[(z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x] = 1; // CUBE
}

static int *memory;

static void launch()
{
    fill<<<4, 64>>>(memory, 200);
    if (hipGetLastError() != hipSuccess || hipDeviceSynchronize() != hipSuccess)
        exit(9);
}

static void shapes()
{
    nothing<<<1, 1>>>();
    fill<<<1, 1>>>(memory, 0);
    fill<<<1, 1024>>>(memory, 1024);
    fill<<<0, 64>>>(memory, 1); // refused by HIP
    printf("%s\n", hipGetLastError() == hipSuccess ? "launched" : "refused");
    cube<<<dim3(2, 3, 4), dim3(5, 6, 7)>>>(memory);
    größe::füllen<<<1, 64>>>((größe::盒子<float, 3> *)memory);
    größe::füllen<<<1, 64>>>((größe::盒子<unsigned char, 5> *)memory);
}

static void before(const std::string &how)
{
    static char *nothing_at_all[] = {nullptr};
    if (how == "descriptors")
        for (int i = 3; i < 4096; i++)
            close(i);
    if (how == "environment")
        environ = nothing_at_all;
    if (how == "directory" && chdir("/") != 0)
        exit(8);
    if (how == "few") {
        struct rlimit limit = {24, 24};
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static void child(void (*end)())
{
    pid_t pid = fork();
    if (!pid)
        end();
    int status;
    waitpid(pid, &status, 0);
    launch();
}

static void after(const std::string &how, char **argv)
{
    if (how == "abort")
        abort();
    if (how == "quick_exit")
        quick_exit(7);
    if (how == "crash")
        raise(SIGSEGV);
    if (how == "terminate")
        raise(SIGTERM);
    if (how == "throw")
        throw std::runtime_error("on purpose");
    if (how == "thread")
        std::thread([] { exit(11); }).join();
    if (how == "child")
        child([] { _exit(1); });
    if (how == "child that aborts")
        child(abort);
    if (how == "shell" && system("echo shell"))
        exit(8);
    if (how == "execute" || how == "execute twice")
        execl("/proc/self/exe", argv[0], how == "execute" ? "plain" : "execute", nullptr);
}

int main(int argc, char **argv)
{
    std::string how = argc > 1 ? argv[1] : "plain";
    before(how);
    if (hipMalloc(&memory, 1 << 20) != hipSuccess)
        return 1;
    launch();
    launch();
    if (how == "shapes")
        shapes();
    fflush(stdout);
    after(how, argv);
    printf("done\n");
    return 3;
}
