// Half of the work-groups write elements of which all words are equal to one place, the others read it: all at once, or not at
// all. Of each width; by global and by flat instructions. Says how many were read torn.
#include <cstdio>
#include <hip/hip_runtime.h>

typedef unsigned v2 __attribute__((ext_vector_type(2)));
typedef unsigned v4 __attribute__((ext_vector_type(4)));

#define WAIT " glc\n s_waitcnt vmcnt(0) lgkmcnt(0)"
#define EXCHANGE(name, type, store, load, off)                                                                                   \
    __global__ void name(type *p, unsigned *torn, int n)                                                                         \
    {                                                                                                                            \
        for (unsigned i = 0; i < (unsigned)n; i++) {                                                                                       \
            type v = i * 64 + threadIdx.x;                                                                                       \
            if (blockIdx.x & 1)                                                                                                  \
                asm volatile(store " %0, %1" off WAIT ::"v"(p), "v"(v) : "memory");                                              \
            else                                                                                                                 \
                asm volatile(load " %0, %1" off WAIT : "=v"(v) : "v"(p) : "memory");                                             \
            unsigned differ = 0;                                                                                                 \
            for (unsigned k = 1; k < sizeof(v) / 4; k++)                                        \
                differ |= v[0] ^ v[k];                                                                                           \
            if (differ)                                                                                                          \
                atomicAdd(torn, 1u);                                                                                             \
        }                                                                                                                        \
    }

EXCHANGE(global2, v2, "global_store_dwordx2", "global_load_dwordx2", ", off")
EXCHANGE(global4, v4, "global_store_dwordx4", "global_load_dwordx4", ", off")
EXCHANGE(flat2, v2, "flat_store_dwordx2", "flat_load_dwordx2", "")
EXCHANGE(flat4, v4, "flat_store_dwordx4", "flat_load_dwordx4", "")

template <typename T> static void run(const char *name, void (*kernel)(T *, unsigned *, int))
{
    enum { GROUPS = 8, ROUNDS = 5000 };
    T *p;
    unsigned *torn, host = 0;
    if (hipMalloc(&p, 64) || hipMalloc(&torn, sizeof(*torn)) || hipMemset(p, 0, 64) || hipMemset(torn, 0, sizeof(*torn)))
        return;
    kernel<<<GROUPS, 64>>>(p, torn, ROUNDS);
    if (!hipMemcpy(&host, torn, sizeof(host), hipMemcpyDeviceToHost))
        printf("%s: %u of %u torn\n", name, host, GROUPS / 2 * 64 * ROUNDS);
}

int main()
{
    run("global2", global2);
    run("global4", global4);
    run("flat2", flat2);
    run("flat4", flat4);
}
