/* Accesses that code generation moves: loads that only one branch, one way, or a loop, needs; atomics of which all
 * lanes have one address. Addresses do not depend on what earlier launches wrote. */
#include <hip/hip_runtime.h>

__global__ void sunk(const int *in, int *out, int n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    int a = in[t], b = in[t + 300], c = in[t * 2 + 700];
    if (a & 1)
        out[t] = b * b;
    if (t % 3 == 0) {
        if (n > 2)
            out[t + 256] = c;
        __syncthreads();
    }
    out[t + 512] = a;
}

__global__ void before_loop(const int *in, int *out, int n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    int scale = in[t], sum = 0;
    for (unsigned i = t & 3; i < (unsigned)n; i += 2)
        sum += in[i + 16] * scale;
    out[t] = sum;
}

/* The first work-group has loaded the operand of `max` in the condition: at -O3 only the second one loads it there.
 * That is left to code generation: the optimiser makes one load of the two only after its own search for known values. */
__global__ void on_one_way(const int *__restrict__ in, int *__restrict__ out, int n, int end)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, both = blockIdx.x;
    long s = t, last = 0;
    in += t;
    for (int i = 0; i < n; i++) {
        if ((s < end && both) || (s < end && !both && in[s] >= t)) {
            if (both)
                last = max(end - in[s++], 3);
            else
                last = max(n - in[s++], 3);
        } else {
            out[t] = (int)last;
            break;
        }
        if (last > 40)
            out[t + 256] = (int)last;
    }
    out[t + 512] = (int)last;
}

/* The default of the switch is never executed. */
__global__ void complete_switch(const int *in, int *out, int n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    int v = in[t];
    switch (t & 3) {
    case 3:
        v += in[t + 3];
    case 2:
        v ^= in[t + 32];
    case 1:
        v *= in[t + 21];
    case 0:
        break;
    }
    out[t] = v + n;
}

/* The second comparison is on all ways out of the loop, and not executed in all of its rounds. */
__global__ void ends_in_the_middle(volatile int *bounds, int *out, int n)
{
    __shared__ volatile int top, stop;
    unsigned t = threadIdx.x;
    if (t == 0)
        top = 0, stop = n;
    __syncthreads();
    for (int i = 0; bounds[t & 1] + i < 2 || top < stop; i++) {
        out[t + 64 * i] = i;
        __syncthreads();
        if (t == 0)
            top = top + 1;
        __syncthreads();
    }
}

__global__ void add_in_loop(int *sum, int n)
{
    for (int i = 0; i < n; i++)
        atomicAdd(sum + i, 1);
}

__global__ void add_divergent(int *sum, int *out, int n)
{
    __shared__ unsigned most;
    __shared__ float total;
    unsigned t = threadIdx.x;
    if (t == 0)
        most = 0, total = 0;
    __syncthreads();
    if (t & 2)
        atomicAdd(sum, (int)t);
    out[t] = atomicMax(sum + 1, (int)(t * 7 % 61)) * 0 + n;
    atomicMax(&most, t * 3);
    atomicAdd(&total, (float)t);
    atomicOr(sum + 2, n);
    atomicXor(sum + 3, n);
    __syncthreads();
    if (t == 1)
        out[100] = most + (int)total;
}

/* All lanes but the lowest one are switched off by the program. */
__global__ void add_by_one(int *sum, int *out, int n)
{
    unsigned t = threadIdx.x;
    out[t] = n;
    if (t > 5 && __builtin_amdgcn_mbcnt_hi(__builtin_amdgcn_read_exec_hi(),
                                           __builtin_amdgcn_mbcnt_lo(__builtin_amdgcn_read_exec_lo(), 0)) == 0) {
        atomicAdd(sum + t, 1);
        atomicAdd(sum + 200, n);
        out[t + 64] = 1;
    }
    atomicExch(sum + 201, 5);
    atomicAdd(sum + 202 + (t & 7), 5);
}

/* From LLVM 17 on one lane does such an atomic, in a branch of its own. As it may have changed what was loaded before,
 * that lane loads it again; the others, which have not been there, keep what they have. */
__global__ void again_behind(const int *in, int *sum, int *out, int n)
{
    __shared__ int s[64];
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    s[t & 63] = in[t & 63];
    __syncthreads();
    if ((in[t] ^ t) & 1)
        atomicAdd(sum, n);
    out[t] = in[t];
    for (int i = 0; i < 3; i++) {
        atomicAdd(&s[i], s[n + i]);
        __syncthreads();
        if (s[n] > 5)
            atomicMax(&s[i + 9], s[i]);
    }
    __syncthreads();
    out[t + 512] = s[t & 63];
}

/* The same where the atomic's result is wanted: each lane gets its part of it. */
__global__ void again_with_result(const int *in, unsigned *sum, int *out)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if ((in[t] ^ t) & 1) {
        unsigned before = atomicAdd(sum, 1u);
        out[t] = in[t] + (before > 100000);
    }
}

/* Offsets of an instruction are not enough for the second half of the rows: before the loop, addresses are computed for
 * it in registers of their own. A row of 17 floats is aligned to 4 bytes, and four of them are two instructions. */
__global__ void computed_before_loop(const int *in, int *out, int n)
{
    __shared__ int a[32][17], b[16][32];
    unsigned x = threadIdx.x % 16, y = threadIdx.x / 16;
    int sum[2][2] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = 0; i < 32; i += 8) {
            a[y + i][x] = in[(y + i) * n + k + x];
            b[y + (i & 8)][x + (i & 16)] = in[(y + i) * n + x];
        }
        __syncthreads();
        for (int q = 0; q < 16; q++)
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    sum[i][j] += a[y + 16 * i][q] * b[q][x + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        out[i * 128 + threadIdx.x] = sum[i / 2][i % 2];
}

struct Pair {
    float key, value;
};

/* A sorting network that is unrolled: LLVM 15 makes one store of two members, which loses its number. */
__global__ void sorted(const int *in, int *out)
{
    __shared__ Pair pairs[64];
    int t = threadIdx.x;
    pairs[t] = {float(t * 37 & 63), float(in[t])};
    __syncthreads();
    for (int k = 2; k <= 64; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t) {
                Pair a = pairs[t], b = pairs[other];
                if ((a.key > b.key) == ((t & k) == 0)) {
                    pairs[t] = b;
                    pairs[other] = a;
                }
            }
            __syncthreads();
        }
    out[t] = (int)pairs[t].value;
}

/* Eight items of each lane go to LDS side by side, a bank further every 32, and come back in another order. Stores of pairs stand
 * in the line table's row of what computes the address of a later store to memory. */
__global__ void exchanged(const int *in, int *out)
{
    __shared__ int items[256 * 8 + 64];
    int t = threadIdx.x, mine[8];
    for (int i = 0; i < 8; i++)
        mine[i] = in[t * 8 + i];
    for (unsigned i = 0; i < 8; i++)
        items[(t * 8 + i) + (t * 8 + i) / 32] = mine[i];
    __syncthreads();
    for (unsigned i = 0; i < 8; i++)
        mine[i] = items[(i * 256 + t) + (i * 256 + t) / 32];
    for (int i = 0; i < 8; i++)
        out[i * 256 + t] = mine[i];
}

struct Mixed {
    short a;
    int b;
    char c;
    double d;
};

/* Structures go round: what another lane has is kept in scratch memory until all have read. */
__global__ void swapped(int n, Mixed *out)
{
    __shared__ Mixed all[128];
    int t = threadIdx.x;
    all[t] = {short(t), n, char(t), 2.0 * t};
    __syncthreads();
    for (int i = 0; i < n; i++) {
        Mixed other = all[t ^ 1];
        __syncthreads();
        Mixed own = all[t];
        __syncthreads();
        all[t] = other;
        if (i & 1)
            all[t].b = own.b;
        __syncthreads();
    }
    out[t] = all[t];
}

int main()
{
    int *in, *out, *sum;
    if (hipMalloc(&in, 1 << 16) || hipMalloc(&out, 1 << 16) || hipMalloc(&sum, 1 << 12))
        return 1;
    for (int round = 0; round < 3; round++) {
        (void)hipMemset(in, 0, 1 << 16);
        (void)hipMemset(in, 1, 1 << 9);
        (void)hipMemset(sum, 0, 1 << 12);
        sunk<<<2, 128>>>(in, out, 3);
        before_loop<<<2, 128>>>(in, out, 3);
        on_one_way<<<2, 64>>>(in, out, 5, 90);
        complete_switch<<<2, 128>>>(in, out, 3);
        ends_in_the_middle<<<2, 128>>>(in + 1024, out, 4);
        add_in_loop<<<2, 128>>>(sum, 5);
        add_divergent<<<2, 128>>>(sum, out, 5);
        add_by_one<<<2, 128>>>(sum, out, 5);
        again_behind<<<2, 128>>>(in, sum, out, 5);
        computed_before_loop<<<1, 128>>>(in, out, 32);
        again_with_result<<<2, 128>>>(in, (unsigned *)sum + 20, out);
        sorted<<<1, 64>>>(in, out);
        exchanged<<<1, 256>>>(in, out);
        swapped<<<1, 128>>>(5, (Mixed *)out);
        if (hipDeviceSynchronize())
            return 2;
    }
    return 0;
}
