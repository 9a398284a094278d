/* Runs an example three times in one process; the example's main is compiled as example_main. Linked with
 * --wrap=hipMalloc,--wrap=hipFree: the n-th allocation of each run gets the same buffer, which the runtime
 * does not promise (the profiler allocates in between). */
#include <cstddef>
#include <cstdio>
#include <cstdlib>

int example_main();
extern "C" int __real_hipMalloc(void **, std::size_t);

namespace
{
struct {
    void *address;
    std::size_t bytes;
} buffers[64];
unsigned known, next;
} // namespace

extern "C" int __wrap_hipMalloc(void **p, std::size_t bytes)
{
    if (next == sizeof buffers / sizeof *buffers || (next < known && buffers[next].bytes != bytes)) {
        std::fprintf(stderr, "the runs allocate differently\n");
        std::exit(9);
    }
    if (next == known) {
        int error = __real_hipMalloc(&buffers[next].address, bytes);
        if (error)
            return error;
        buffers[known++].bytes = bytes;
    }
    *p = buffers[next++].address;
    return 0;
}

extern "C" int __wrap_hipFree(void *)
{
    return 0;
}

int main()
{
    int result = 0;
    for (int run = 0; run < 3; run++) {
        next = 0;
        result |= example_main();
    }
    return result;
}
