/* Every kind and width of access, in global, LDS, flat and buffer memory; run three times by thrice.cpp. Each lane has
 * addresses of its own where it writes, so that three runs do the same. */
#include <hip/hip_runtime.h>
#include <cstdint>
#include <cstdio>

#define CHECK(x)                                                                                             \
    if ((x) != hipSuccess)                                                                                   \
    return std::printf("failed: %s\n", #x), 1

enum { THREADS = 128, GROUPS = 2, ITEMS = THREADS * GROUPS };
#define ID (blockIdx.x * THREADS + threadIdx.x)

struct three {
    uint32_t x, y, z;
};

template <typename T> __global__ void global_copy(T *out, const T *in)
{
    out[ID] = in[ITEMS - 1 - ID];
}

template <typename T> __global__ void lds_copy(T *out, const T *in)
{
    __shared__ T first[THREADS], second[THREADS];
    first[threadIdx.x] = in[ID];
    __syncthreads();
    second[threadIdx.x * 5 % THREADS] = first[THREADS - 1 - threadIdx.x];
    __syncthreads();
    out[ID] = second[threadIdx.x];
}

/* The compiler cannot know where the pointer leads: odd lanes to LDS. */
template <typename T> __global__ void flat_copy(T *out, const T *in)
{
    __shared__ T part[THREADS];
    part[threadIdx.x] = in[ID];
    __syncthreads();
    T *p = threadIdx.x % 2 ? &part[threadIdx.x] : &out[ID];
    *p = in[ID ^ 1];
    __syncthreads();
    if (threadIdx.x % 2)
        out[ID] = part[threadIdx.x];
}

template <typename T> __device__ void all_atomics(T *p, T v)
{
    atomicAdd(p, v);
    atomicMax(p, v + 1);
    atomicMin(p, v + 2);
    atomicAnd(p, v | 7);
    atomicOr(p, v);
    atomicXor(p, v);
    atomicExch(p, v + 3);
    atomicCAS(p, v + 3, v);
}

template <typename T> __global__ void global_atomics(T *out)
{
    all_atomics(&out[ID], T(ID));
}

template <typename T> __global__ void lds_atomics(T *out)
{
    __shared__ T part[THREADS];
    part[threadIdx.x] = 0;
    __syncthreads();
    all_atomics(&part[threadIdx.x * 3 % THREADS], T(ID));
    __syncthreads();
    out[ID] = part[threadIdx.x];
}

template <typename T> __global__ void flat_atomics(T *out)
{
    __shared__ T part[THREADS];
    part[threadIdx.x] = 0;
    out[ID] = 1;
    __syncthreads();
    all_atomics(threadIdx.x % 3 ? &part[threadIdx.x] : &out[ID], T(ID));
}

__global__ void float_atomics(float *out)
{
    __shared__ float part[THREADS];
    part[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&part[threadIdx.x], 1.5f);
    __syncthreads();
    atomicAdd(&out[ID], part[threadIdx.x]);
}

/* Lengths that only the launch tells. */
__global__ void copies(uint8_t *out, const uint8_t *in, size_t n)
{
    __builtin_memcpy(out + ID * 64, in + ID * 64, n);
    __builtin_memset(out + 64 * ITEMS + ID * 32, 7, n / 2);
}

/* ---- buffers: the intrinsics by name, as every LLVM from 15 to 22 has them ---- */

typedef int int4v __attribute__((ext_vector_type(4)));
typedef int int2v __attribute__((ext_vector_type(2)));
#define RAW(name) __asm("llvm.amdgcn.raw.buffer." name)
#define STRUCT(name) __asm("llvm.amdgcn.struct.buffer." name)
__device__ int raw_load(int4v, int voffset, int soffset, int aux) RAW("load.i32");
__device__ int4v raw_load4(int4v, int, int, int) RAW("load.v4i32");
__device__ int8_t raw_load1(int4v, int, int, int) RAW("load.i8");
__device__ void raw_store(int, int4v, int, int, int) RAW("store.i32");
__device__ void raw_store2(int2v, int4v, int, int, int) RAW("store.v2i32");
__device__ void raw_store1(int8_t, int4v, int, int, int) RAW("store.i8");
__device__ int raw_add(int, int4v, int, int, int) RAW("atomic.add.i32");
__device__ int raw_swap(int, int, int4v, int, int, int) RAW("atomic.cmpswap.i32");
__device__ void raw_load_lds(int4v, __attribute__((address_space(3))) void *, int size, int voffset, int soffset,
                             int offset, int aux) RAW("load.lds");
__device__ int struct_load(int4v, int vindex, int voffset, int soffset, int aux) STRUCT("load.i32");
__device__ void struct_store(int, int4v, int, int, int, int) STRUCT("store.i32");
__device__ int struct_add(int, int4v, int, int, int, int) STRUCT("atomic.add.i32");

/* Descriptor of gfx9: base, stride, number of records (bytes for a stride of 0), data format 32 bits. */
__device__ int4v descriptor(const void *p, int stride, int records, int word1, int word3)
{
    uint64_t base = reinterpret_cast<uint64_t>(p);
    return int4v{static_cast<int>(base), static_cast<int>(base >> 32) | stride << 16 | word1, records,
                 0x00027000 | word3};
}

__global__ void raw_buffers(int *out, const int *in)
{
    int4v to = descriptor(out, 0, ITEMS * 64, 0, 0), from = descriptor(in, 0, ITEMS * 64, 0, 0);
    int at = ID * 4;
    raw_store(raw_load(from, at, 16, 0), to, at, 0, 0);
    int4v four = raw_load4(from, ID * 16, 0, 0);
    raw_store2(int2v{four.x, four.w}, to, ID * 8, ITEMS * 8, 0);
    raw_store1(raw_load1(from, ID, 3, 0), to, ID * 3, ITEMS * 32, 0);
    raw_add(2, to, at, 0, 0);
    raw_swap(7, four.x, to, at, ITEMS * 8, 0);
    /* The first lanes' registers are negative, and the instruction's offset makes up for it: 32-bit sums wrap around. */
    int before = at - 64;
    asm volatile("" : "+v"(before));
    raw_store(raw_load(from, before + 64, 0, 0), to, before + 72, ITEMS * 48, 0);
    /* Every other lane lies outside and does nothing. */
    raw_store(9, to, threadIdx.x % 2 ? ITEMS * 128 : at, 0, 0);
}

/* Records of 12 bytes; swizzled: the dwords of eight records lie side by side. */
__global__ void struct_buffers(int *out, const int *in)
{
    const int swizzle = static_cast<int>(0x80000000);
    int4v from = descriptor(in, 12, ITEMS * 12, 0, 0), to = descriptor(out, 12, ITEMS * 12, 0, 0);
    int index = ITEMS / 2 - 1 - ID / 2;
    struct_store(struct_load(from, index, 4, 0, 0), to, index, ID % 2 * 4, 0, 0);
    int4v from8 = descriptor(in, 12, ITEMS, swizzle, 0), to16 = descriptor(out + ITEMS * 4, 12, ITEMS, swizzle, 1 << 21);
    struct_store(struct_load(from8, ID, 8, 0, 0), to16, ID, 4, 0, 0);
    struct_add(1, to16, ID ^ 5, 8, 0, 0);
}

#if !defined(__HIP_DEVICE_COMPILE__) || defined(__gfx90a__)
__global__ void load_to_lds(int *out, const int *in)
{
    __shared__ int part[THREADS + 16];
    int4v from = descriptor(in, 0, ITEMS * 64, 0, 0);
    int wave = __builtin_amdgcn_readfirstlane(threadIdx.x) / 64;
    /* Registers that are negative in the first lanes, and the instruction's offset, which moves the LDS side, too. */
    raw_load_lds(from, reinterpret_cast<__attribute__((address_space(3))) void *>(
                           static_cast<uint32_t>(reinterpret_cast<uintptr_t>(&part[wave * 64]))), 4, ID * 8 - 64, 0, 64, 0);
    __builtin_amdgcn_s_waitcnt(0);
    __syncthreads();
    out[ID] = part[(threadIdx.x ^ 1) + 16];
}
#endif

template <typename T> void widths(void *out, void *in)
{
    T *to = static_cast<T *>(out);
    const T *from = static_cast<T *>(in);
    global_copy<T><<<GROUPS, THREADS>>>(to, from);
    lds_copy<T><<<GROUPS, THREADS>>>(to, from);
    flat_copy<T><<<GROUPS, THREADS>>>(to, from);
}

template <typename T> void atomics(void *out)
{
    global_atomics<T><<<GROUPS, THREADS>>>(static_cast<T *>(out));
    lds_atomics<T><<<GROUPS, THREADS>>>(static_cast<T *>(out));
    flat_atomics<T><<<GROUPS, THREADS>>>(static_cast<T *>(out));
}

int main()
{
    const size_t bytes = ITEMS * 128;
    void *in, *out;
    CHECK(hipMalloc(&in, bytes));
    CHECK(hipMalloc(&out, bytes));
    CHECK(hipMemset(in, 3, bytes));
    CHECK(hipMemset(out, 0, bytes));
    widths<uint8_t>(out, in);
    widths<uint16_t>(out, in);
    widths<uint32_t>(out, in);
    widths<uint64_t>(out, in);
    widths<three>(out, in);
    widths<uint4>(out, in);
    atomics<unsigned>(out);
    atomics<unsigned long long>(out);
    float_atomics<<<GROUPS, THREADS>>>(static_cast<float *>(out));
    copies<<<GROUPS, THREADS>>>(static_cast<uint8_t *>(out), static_cast<uint8_t *>(in), 21);
    raw_buffers<<<GROUPS, THREADS>>>(static_cast<int *>(out), static_cast<int *>(in));
    struct_buffers<<<GROUPS, THREADS>>>(static_cast<int *>(out), static_cast<int *>(in));
    load_to_lds<<<GROUPS, THREADS>>>(static_cast<int *>(out), static_cast<int *>(in));
    CHECK(hipDeviceSynchronize());
    std::printf("PASSED\n");
    return 0;
}
