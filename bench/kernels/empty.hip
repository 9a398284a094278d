/* empty.hip - launches one empty kernel. With an argument: then sleeps two seconds and prints the share of a
 * core that the process took meanwhile. */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

__global__ void empty()
{
}

static double cpu_seconds()
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

int main(int argc, char **)
{
    empty<<<1, 64>>>();
    if (hipDeviceSynchronize() != hipSuccess)
        return 1;
    if (argc > 1) {
        usleep(200000);
        double before = cpu_seconds();
        sleep(2);
        printf("%.3f\n", (cpu_seconds() - before) / 2 * 100);
    }
    return 0;
}
