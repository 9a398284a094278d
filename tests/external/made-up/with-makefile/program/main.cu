#include "limit.h"
#include <cstdio>
#include <cstdlib>
#include <hip/hip_runtime.h>

int main(int argc, char **argv)
{
    int devices = 0;
    (void)hipGetDeviceCount(&devices);
    puts(argc == 2 && atoi(argv[1]) <= LIMIT && devices == 1 ? "sum agrees" : "wrong size");
}
