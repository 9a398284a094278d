#include <hip/hip_runtime.h>
template <typename T> __global__ void tmpl(T *p, T v) { p[threadIdx.x] += v; }
template __global__ void tmpl<float>(float *, float);
template __global__ void tmpl<double>(double *, double);
static __global__ void stat(int *p) { atomicAdd(p, 1); }
namespace { __global__ void anon(int *p) { atomicCAS(p, 1, 2); } }
__device__ int counter;
__constant__ int table[64];
__global__ void k() { counter = 7; }
__global__ void noargs_hidden() { }
struct Big { int a[4]; float3 f; };
__global__ void bigarg(Big b, Big *out, char c) { out[threadIdx.x] = b; out[threadIdx.x].a[c & 3] += table[threadIdx.x & 63]; }
__global__ void dyn(float *o) { extern __shared__ float s[]; s[threadIdx.x] = o[threadIdx.x]; __syncthreads(); o[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }
// DIRECT: what can be divided into two modules, kernels and their clones (ls_part.cpp).
#if defined(DIRECT) && __clang_major__ < 17
#define WITHOUT_LDS_IN_FUNCTIONS
#endif
#ifndef WITHOUT_LDS_IN_FUNCTIONS
__shared__ int gshared[128];
__device__ __attribute__((noinline)) int useshared(int i) { gshared[i & 127] += i; return gshared[(i + 1) & 127]; }
#else
__device__ __attribute__((noinline)) int useshared(int i) { return i; }
#endif
__device__ __attribute__((noinline)) int rec(int *p, int n) { return n <= 0 ? p[0] : p[n] + rec(p, n - 1); }
__global__ void callee1(int *p) { p[threadIdx.x] = useshared(threadIdx.x); }
__global__ void callee2(int *p) { __shared__ int own[32]; own[threadIdx.x & 31] = 1; __syncthreads(); p[threadIdx.x] = useshared(threadIdx.x) + own[3] + rec(p, 5); }
typedef int (*fp)(int *, int);
__device__ fp table_of_fp = rec;
#ifndef DIRECT
__global__ void indirect(int *p, int n) { fp f = *(volatile fp *)&table_of_fp; p[threadIdx.x] = f(p, n); }
#endif
__global__ void copies(char *d, const char *s, size_t n) { __builtin_memcpy(d + threadIdx.x * n, s, n); __builtin_memset(d, 0, n); }
__global__ void multi(float *a, float *b) { __shared__ float x[64], y[128]; __shared__ double z[16]; x[threadIdx.x & 63] = a[threadIdx.x]; y[threadIdx.x & 127] = b[threadIdx.x]; z[threadIdx.x & 15] = 3; __syncthreads(); a[threadIdx.x] = x[5] + y[(threadIdx.x * 3) & 127] + z[2]; }
__global__ void early(int *p, int n) { if (threadIdx.x > n) return; p[threadIdx.x] = 1; if (p[n] == 3) return; p[threadIdx.x + 64] = 2; }
__global__ void vec4(float4 *a, const float4 *__restrict__ b) { a[threadIdx.x] = b[threadIdx.x]; }
__global__ void adjacent(float *a) { float *q = a + threadIdx.x * 4; q[0] = 1; q[1] = 2; q[2] = 3; q[3] = 4; }
__global__ void flat(int *g, int sel) { __shared__ int s[64]; s[threadIdx.x & 63] = 1; __syncthreads(); int *p = sel ? g : s; for (int i = 0; i < 3; i++) { int *q = (threadIdx.x & i) ? p : g; *q = i; } }
__global__ void uni(int *o, const int *__restrict__ in, int n) { o[threadIdx.x] = in[n]; }
__global__ void __launch_bounds__(64, 8) bounds(int *o) { o[threadIdx.x] = o[threadIdx.x ^ 1]; }
static __device__ int own_counter[64] = {1, 2, 3};
__global__ void counts(int *p) { p[threadIdx.x] = own_counter[threadIdx.x]++; }
__global__ void also_counts(int *p) { own_counter[p[0]] = 1; const int powers[5] = {1, 10, 100, 1000, 10000}; p[1] = powers[p[2]]; }
#ifndef WITHOUT_LDS_IN_FUNCTIONS
// LDS of functions that several kernels share: LLVM looks it up in tables.
__device__ __attribute__((noinline)) int lds_a(int i) { __shared__ int lines[256]; lines[i & 255] = i; __syncthreads(); return lines[i + 1 & 255]; }
__device__ __attribute__((noinline)) int lds_b(int i) { __shared__ int lines[128]; lines[i & 127] = i; __syncthreads(); return lines[i + 1 & 127]; }
__device__ __attribute__((noinline)) int lds_c(int i) { __shared__ int lines[32]; lines[i & 31] = i; __syncthreads(); return lines[i + 1 & 31]; }
__global__ void uses_a(int *p) { p[threadIdx.x] = lds_a(threadIdx.x); }
__global__ void uses_ab(int *p) { p[threadIdx.x] = lds_b(lds_a(threadIdx.x)); }
__global__ void uses_bc(int *p) { p[threadIdx.x] = lds_c(lds_b(threadIdx.x)); }
#endif
// As functions of the device libraries come: not inlined, without debug information.
__device__ __attribute__((noinline, nodebug)) int library(int *p, int i) { while (p[i] > 7) i = p[i]; return i; }
__global__ void callee3(int *p) { p[threadIdx.x] = useshared(library(p, threadIdx.x)); }
__global__ void calls_library(int *p, int n) { if (library(p, 0) > n) return; p[library(p, 0)] = 1; if (p[n] == 3) return; p[library(p, 0) + 64] = 2; }
__global__ void assembly(int *p) { int x; asm volatile("s_nop 0"); asm("v_mov_b32 %0, 5" : "=v"(x)); p[threadIdx.x] = x; }
int main() { hipLaunchKernelGGL(stat, dim3(1), dim3(1), 0, 0, (int *)0); hipLaunchKernelGGL(anon, dim3(1), dim3(1), 0, 0, (int *)0); return 0; }
