/* 64 kernels that nobody launches: a module with them has many, whose clones are made otherwise (llvm-pass/, LS_MANY_KERNELS). */
template <int N> __global__ void one_of_many(int *out)
{
    out[threadIdx.x] = N;
}

#define ONE(n) template __global__ void one_of_many<n>(int *);
#define FOUR(n) ONE(n) ONE(n + 1) ONE(n + 2) ONE(n + 3)
#define SIXTEEN(n) FOUR(n) FOUR(n + 4) FOUR(n + 8) FOUR(n + 12)
SIXTEEN(0) SIXTEEN(16) SIXTEEN(32) SIXTEEN(48)
