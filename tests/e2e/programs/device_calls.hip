/* Calls from a kernel to the host: printf. */
#include "check.h"

__global__ void one_each(int n)
{
    if (threadIdx.x < 3)
        printf("lane %d of %d\n", (int)threadIdx.x, n);
}

__global__ void formats(const char *text, double d)
{
    if (threadIdx.x == 0) {
        int written = printf("%s|%5d|%-5d|%05d|%x|%lu|%c|%%|%.3f|%s\n", "literal", 42, -42, 7, 255u,
                             1ul << 40, 'z', d, text);
        printf("written %d\n", written);
    }
}

__global__ void from_many()
{
    if (threadIdx.x % 64 == 63)
        printf("group %d wave %d\n", (int)blockIdx.x, (int)threadIdx.x / 64);
}

__global__ void in_a_loop(int rounds)
{
    for (int i = 0; i < rounds; i++)
        if ((int)threadIdx.x == i % 7)
            printf("round %d\n", i);
}

static void print()
{
    char *text;
    one_each<<<1, 64>>>(64);
    HIP(hipDeviceSynchronize());
    HIP(hipMalloc(&text, 32));
    HIP(hipMemcpy(text, "from memory", 12, hipMemcpyHostToDevice));
    formats<<<1, 64>>>(text, 2.5);
    HIP(hipDeviceSynchronize());
}

static void print_many()
{
    from_many<<<4, 128>>>();
    HIP(hipDeviceSynchronize());
    in_a_loop<<<1, 64>>>(20);
    HIP(hipDeviceSynchronize());
}

int main(int argc, char **argv)
{
    static const Test tests[] = {{"print", print}, {"print_many", print_many}};
    return run_tests(tests, argc, argv);
}
