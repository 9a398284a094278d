/* Forms of memory instructions that compilers seldom choose, by hand: partly or wholly out of range, of 12 and 16 bytes, pairs of
 * atomics, halves of registers, structured and swizzled buffers, copies of bytes to LDS, no lane or few. Compiled by hipcc alone. */
#include <hip/hip_runtime.h>
#include <cstdint>
#include <cstdio>
#define CHECK(x)                                                                                             \
    if ((x) != hipSuccess)                                                                                   \
    return std::printf("failed: %s\n", #x), 1
#define LDS_DONE "\n s_waitcnt lgkmcnt(0)"
#define DONE "\n s_waitcnt vmcnt(0)"
#define FLAT_DONE "\n s_waitcnt vmcnt(0) lgkmcnt(0)"

typedef uint32_t u4 __attribute__((ext_vector_type(4)));
typedef uint32_t u3 __attribute__((ext_vector_type(3)));
typedef uint32_t u2 __attribute__((ext_vector_type(2)));

/* LDS: odd forms; beyond the end; nothing active */
__global__ void lds_odd(uint32_t *out)
{
    __shared__ uint32_t part[1024];
    uint32_t t = threadIdx.x, v = t, w = 0; u2 d2; u3 d3 = {t, 1, 2}; u4 d4 = {t, 1, 2, 3}; uint64_t q = t, r;
    part[t] = t; __syncthreads();
    uint32_t base = (uint32_t)(uintptr_t)(__attribute__((address_space(3))) uint32_t *)part;
    asm volatile("ds_write_b96 %0, %1 offset:16" LDS_DONE ::"v"(base + t * 16), "v"(d3) : "memory");
    asm volatile("ds_write_b128 %0, %1" LDS_DONE ::"v"(base + t * 16), "v"(d4) : "memory");
    asm volatile("ds_read_b96 %0, %1 offset:32" LDS_DONE : "=v"(d3) : "v"(base + t * 12) : "memory");
    asm volatile("ds_read_b128 %0, %1 offset:48" LDS_DONE : "=v"(d4) : "v"(base + t * 48) : "memory"); /* partly beyond 4096 */
    asm volatile("ds_read2_b64 %0, %1 offset0:1 offset1:7" LDS_DONE : "=v"(d4) : "v"(base + t * 8) : "memory");
    asm volatile("ds_read2st64_b32 %0, %1 offset0:1 offset1:15" LDS_DONE : "=v"(d2) : "v"(base + t * 4) : "memory");
    asm volatile("ds_write2st64_b64 %0, %1, %2 offset0:0 offset1:1" LDS_DONE ::"v"(base + t * 8), "v"(q), "v"(q) : "memory");
    asm volatile("ds_read_u8_d16_hi %0, %1 offset:3" LDS_DONE : "+v"(v) : "v"(base + t * 3) : "memory");
    asm volatile("ds_read_i16 %0, %1 offset:2" LDS_DONE : "=v"(v) : "v"(base + t * 2) : "memory");
    asm volatile("ds_write_b8_d16_hi %0, %1 offset:2" LDS_DONE ::"v"(base + t), "v"(v) : "memory");
    asm volatile("ds_add_u32 %1, %2\n ds_add_rtn_u32 %0, %1, %2 offset:4" LDS_DONE : "=&v"(w) : "v"(base + (t & 7) * 4), "v"(v) : "memory");
    asm volatile("ds_cmpst_rtn_b64 %0, %1, %2, %3" LDS_DONE : "=v"(r) : "v"(base + (t & 15) * 8), "v"(q), "v"(q) : "memory");
    asm volatile("ds_wrxchg2_rtn_b32 %0, %1, %2, %2 offset0:0 offset1:64" LDS_DONE : "=v"(d2) : "v"(base + t * 4), "v"(v) : "memory");
    asm volatile("ds_wrxchg2st64_rtn_b32 %0, %1, %2, %2 offset0:0 offset1:2" LDS_DONE : "=v"(d2) : "v"(base + t * 4), "v"(v) : "memory");
    asm volatile("ds_bpermute_b32 %0, %1, %2\n ds_swizzle_b32 %0, %0 offset:0x8000" LDS_DONE : "=&v"(v) : "v"(t * 4), "v"(v) : "memory");
    asm volatile("ds_read_b32 %0, %1" LDS_DONE : "=v"(v) : "v"(0x20000 + t * 4) : "memory"); /* all beyond */
    asm volatile("ds_read_b32 %0, %1 offset:4" LDS_DONE : "=v"(v) : "v"(base + 4000 + t * 4) : "memory"); /* some beyond */
    asm volatile("s_mov_b64 s[20:21], exec\n s_mov_b64 exec, 0\n ds_read_b32 %0, %1\n s_mov_b64 exec, s[20:21]" LDS_DONE : "+v"(v) : "v"(base) : "memory", "s20", "s21");
    asm volatile("s_mov_b64 s[20:21], exec\n s_mov_b64 exec, 5\n ds_read_b64 %0, %1\n s_mov_b64 exec, s[20:21]" LDS_DONE : "+v"(q) : "v"(base + t * 8) : "memory", "s20", "s21");
    asm volatile("ds_min_rtn_f32 %0, %1, %2\n ds_max_f64 %1, %3 offset:1024" LDS_DONE : "=&v"(v) : "v"(base + (t & 3) * 8), "v"(v), "v"(q) : "memory");
    asm volatile("ds_add_f64 %0, %1 offset:2048" LDS_DONE :: "v"(base + t * 8), "v"(q) : "memory");
    __syncthreads();
    out[blockIdx.x * 64 + t] = part[t];
}

/* buffers: structured, swizzled, out of range, scalar offset, LDS */
__global__ void buffers(uint32_t *out, uint32_t *in)
{
    __shared__ uint32_t part[256];
    uint32_t t = threadIdx.x, v = 0; u3 d3 = {1, 2, 3}; u4 d4;
    part[t] = 0;
    uint64_t p = (uint64_t)in;
    u4 raw = {(uint32_t)p, (uint32_t)(p >> 32), 256, 0x00027000}, st = {(uint32_t)p, (uint32_t)(p >> 32) | 16 << 16, 32, 0x00027000},
       sw = {(uint32_t)p, (uint32_t)(p >> 32) | 16 << 16 | 1u << 31, 64, 0x00027000 | 1 << 19 | 0 << 21},
       tid = {(uint32_t)p, (uint32_t)(p >> 32) | 4 << 16, 4096, 0x00000000 | 1 << 23};
    for (int i = 0; i < 4; i++) { raw[i] = __builtin_amdgcn_readfirstlane(raw[i]); st[i] = __builtin_amdgcn_readfirstlane(st[i]); sw[i] = __builtin_amdgcn_readfirstlane(sw[i]); tid[i] = __builtin_amdgcn_readfirstlane(tid[i]); }
    asm volatile("buffer_load_dwordx3 %0, %1, %2, 0 offen offset:12" DONE : "=v"(d3) : "v"(t * 12), "s"(raw) : "memory");
    asm volatile("buffer_load_dwordx4 %0, %1, %2, 0 offen" DONE : "=v"(d4) : "v"(t * 16), "s"(raw) : "memory");
    asm volatile("buffer_load_dword %0, %1, %2, 0 idxen offset:4" DONE : "=v"(v) : "v"(t), "s"(st) : "memory");
    asm volatile("buffer_load_dwordx2 %0, %1, %2, 0 idxen" DONE : "=v"(*(uint64_t *)&d4) : "v"(t), "s"(sw) : "memory");
    asm volatile("buffer_load_dword %0, off, %1, 0" DONE : "=v"(v) : "s"(tid) : "memory");
    asm volatile("buffer_store_dwordx3 %0, %1, %2, 0 offen" DONE ::"v"(d3), "v"(t * 12), "s"(raw) : "memory");
    asm volatile("buffer_store_short_d16_hi %0, %1, %2, 0 offen offset:2" DONE ::"v"(v), "v"(t * 4), "s"(raw) : "memory");
    asm volatile("buffer_atomic_add %0, %1, %2, 0 offen glc\n buffer_atomic_add %0, %1, %2, 0 offen" DONE : "+v"(v) : "v"(t * 8), "s"(raw) : "memory");
    asm volatile("s_mov_b32 m0, 0\n buffer_load_dword %0, %1, 0 offen lds" DONE ::"v"(t * 8), "s"(raw) : "memory", "m0");
    asm volatile("s_mov_b32 m0, 16\n buffer_load_ubyte %0, %1, 0 offen offset:3 lds" DONE ::"v"(t * 8), "s"(raw) : "memory", "m0");
    asm volatile("s_mov_b32 m0, 512\n global_load_dword %0, off offset:16 lds" DONE :: "v"(in + t) : "memory", "m0");
    asm volatile("tbuffer_load_format_xyz %0, %1, %2, 0 format:[BUF_DATA_FORMAT_32_32_32,BUF_NUM_FORMAT_UINT] offen" DONE : "=v"(d3) : "v"(t * 12), "s"(raw) : "memory");
    asm volatile("tbuffer_load_format_xy %0, %1, %2, 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_UINT] offen" DONE : "=v"(*(uint64_t *)&d4) : "v"(t * 4), "s"(raw) : "memory");
    asm volatile("s_buffer_load_dwordx4 s[20:23], %0, 0x10" LDS_DONE ::"s"(raw) : "memory", "s20", "s21", "s22", "s23");
    __syncthreads();
    out[t] = part[t] + v;
}

/* Global memory, and flat addresses in all three spaces. */
__global__ void global_odd(uint32_t *out, uint32_t *in)
{
    __shared__ uint32_t part[64];
    uint32_t t = threadIdx.x, v = t, w; u3 d3 = {1, 2, 3}; uint64_t q = t, r; volatile uint32_t mine[4] = {t, t, t, t};
    part[t] = 0; __syncthreads();
    asm volatile("global_load_dwordx3 %0, %1, off offset:-12" DONE : "=v"(d3) : "v"(in + 64 + 3 * t) : "memory");
    asm volatile("global_load_dwordx3 %0, %1, %2 offset:4" DONE : "=v"(d3) : "v"(t * 20), "s"(in) : "memory");
    asm volatile("global_store_dwordx3 %0, %1, off" DONE ::"v"(in + 3 * t), "v"(d3) : "memory");
    asm volatile("global_atomic_add %0, %1, %2, off glc\n global_atomic_add %1, %2, off" DONE : "=&v"(w) : "v"(in + (t & 3)), "v"(v) : "memory");
    asm volatile("global_atomic_cmpswap_x2 %0, %1, %2, off glc" DONE : "=&v"(r) : "v"(in + 2 * t), "v"((__attribute__((ext_vector_type(4))) uint32_t){v, v, v, v}) : "memory");
    asm volatile("global_atomic_add_f64 %0, %1, off\n global_atomic_pk_add_f16 %0, %2, off" DONE :: "v"(in + 512 + 2 * t), "v"(q), "v"(v) : "memory");
    asm volatile("global_load_short_d16_hi %0, %1, off offset:2" DONE : "+v"(v) : "v"(in + t) : "memory");
    asm volatile("global_load_sbyte %0, %1, off offset:3" DONE : "=v"(w) : "v"((char *)in + t * 5) : "memory");
    uint32_t *p = t % 4 == 0 ? part + t : t % 4 == 1 ? (uint32_t *)mine + (t & 3) : in + t; /* three spaces */
    asm volatile("flat_load_dword %0, %1" FLAT_DONE : "=v"(w) : "v"(p) : "memory");
    asm volatile("flat_store_dword %0, %1" FLAT_DONE :: "v"(p), "v"(w) : "memory");
    asm volatile("flat_atomic_add %0, %1, %2 glc" FLAT_DONE : "=v"(w) : "v"(t % 2 ? part + t : in + t), "v"(v) : "memory");
    uint32_t *l = part + (t & 31);
    asm volatile("flat_load_dwordx2 %0, %1" FLAT_DONE : "=v"(q) : "v"((uint64_t)l & ~7ull) : "memory");
    asm volatile("s_mov_b64 s[20:21], exec\n s_mov_b64 exec, 0\n global_load_dword %0, %1, off\n s_mov_b64 exec, s[20:21]" DONE : "+v"(v) : "v"(in) : "memory", "s20", "s21");
    __syncthreads();
    out[t] = part[t] + w + mine[t & 3];
}

int main()
{
    uint32_t *in, *out;
    CHECK(hipMalloc(&in, 65536)); CHECK(hipMalloc(&out, 65536)); CHECK(hipMemset(in, 1, 65536));
    lds_odd<<<2, 64>>>(out); CHECK(hipDeviceSynchronize());
    buffers<<<1, 64>>>(out, in); CHECK(hipDeviceSynchronize());
    global_odd<<<1, 64>>>(out, in); CHECK(hipDeviceSynchronize());
    std::puts("PASSED");
}
