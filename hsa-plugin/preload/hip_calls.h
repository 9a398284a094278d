/*
 * hip_calls.h - HIP's functions that launch or copy, as lists. The prototypes are those of hip_runtime_api.h
 * and hip_ext.h, the versions those of HIP's own linker script (hipamd/src/hip_hcc.map.in): a function keeps
 * both for good. A test compares them with the headers that are installed.
 *
 * A row: name as the linker knows it, version, parameters, arguments, stream (functions of preload_streams.c).
 */
#ifndef HSA_PLUGIN_HIP_CALLS_H
#define HSA_PLUGIN_HIP_CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_API_H /* HIP's own types, as far as calls pass them on */
typedef int hipError_t, hipMemcpyKind;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct hipGraphExec *hipGraphExec_t;
typedef void *hipDeviceptr_t;
typedef struct hipArray hipArray;
typedef const hipArray *hipArray_const_t;
typedef struct hip_Memcpy2D hip_Memcpy2D;
typedef struct HIP_MEMCPY3D HIP_MEMCPY3D;
struct hipMemcpy3DParms;
typedef struct dim3 {
    uint32_t x, y, z;
} dim3;
typedef struct hipPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
} hipPitchedPtr;
typedef struct hipExtent {
    size_t width, height, depth;
} hipExtent;
#endif
_Static_assert(sizeof(dim3) == 12 && sizeof(hipPitchedPtr) == 32 && sizeof(hipExtent) == 24,
               "passed by value");
_Static_assert(sizeof(hipError_t) == 4 && sizeof(hipMemcpyKind) == 4, "enumerations");

#define HIP_GRID hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz
#define HIP_GRID_ARGS f, gx, gy, gz, bx, by, bz
#define HIP_SIZES uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz

/* Of HIP 5.2's headers, with a stream among the arguments. */
#define HIP_CALLS(X)                                                                                         \
    X(hipLaunchKernel, "hip_4.2", (const void *f, dim3 g, dim3 b, void **args, size_t lds, hipStream_t s),   \
      (f, g, b, args, lds, s), given(s))                                                                     \
    X(hipExtLaunchKernel, "hip_4.2",                                                                         \
      (const void *f, dim3 g, dim3 b, void **args, size_t lds, hipStream_t s, hipEvent_t start,              \
       hipEvent_t stop, int flags),                                                                          \
      (f, g, b, args, lds, s, start, stop, flags), given(s))                                                 \
    X(hipLaunchCooperativeKernel, "hip_4.2",                                                                 \
      (const void *f, dim3 g, dim3 b, void **args, unsigned lds, hipStream_t s), (f, g, b, args, lds, s),    \
      given(s))                                                                                              \
    X(hipModuleLaunchKernel, "hip_4.2", (HIP_GRID, unsigned lds, hipStream_t s, void **args, void **extra),  \
      (HIP_GRID_ARGS, lds, s, args, extra), given(s))                                                        \
    X(hipGraphLaunch, "hip_4.3", (hipGraphExec_t g, hipStream_t s), (g, s), given(s))                        \
    X(hipMemcpyAsync, "hip_4.2", (void *to, const void *from, size_t n, hipMemcpyKind kind, hipStream_t s),  \
      (to, from, n, kind, s), given(s))                                                                      \
    X(hipMemcpyWithStream, "hip_4.2",                                                                        \
      (void *to, const void *from, size_t n, hipMemcpyKind kind, hipStream_t s), (to, from, n, kind, s),     \
      given(s))                                                                                              \
    X(hipMemcpyHtoDAsync, "hip_4.2", (hipDeviceptr_t to, void *from, size_t n, hipStream_t s),               \
      (to, from, n, s), given(s))                                                                            \
    X(hipMemcpyDtoHAsync, "hip_4.2", (void *to, hipDeviceptr_t from, size_t n, hipStream_t s),               \
      (to, from, n, s), given(s))                                                                            \
    X(hipMemcpyDtoDAsync, "hip_4.2", (hipDeviceptr_t to, hipDeviceptr_t from, size_t n, hipStream_t s),      \
      (to, from, n, s), given(s))                                                                            \
    X(hipMemcpyPeerAsync, "hip_4.2",                                                                         \
      (void *to, int to_device, const void *from, int from_device, size_t n, hipStream_t s),                 \
      (to, to_device, from, from_device, n, s), given(s))                                                    \
    X(hipMemcpyToSymbolAsync, "hip_4.2",                                                                     \
      (const void *symbol, const void *from, size_t n, size_t at, hipMemcpyKind kind, hipStream_t s),        \
      (symbol, from, n, at, kind, s), given(s))                                                              \
    X(hipMemcpyFromSymbolAsync, "hip_4.2",                                                                   \
      (void *to, const void *symbol, size_t n, size_t at, hipMemcpyKind kind, hipStream_t s),                \
      (to, symbol, n, at, kind, s), given(s))                                                                \
    X(hipMemcpy2DAsync, "hip_4.2",                                                                           \
      (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t w, size_t h,                   \
       hipMemcpyKind kind, hipStream_t s),                                                                   \
      (to, to_pitch, from, from_pitch, w, h, kind, s), given(s))                                             \
    X(hipMemcpy2DToArrayAsync, "hip_4.3",                                                                    \
      (hipArray * to, size_t x, size_t y, const void *from, size_t pitch, size_t w, size_t h,                \
       hipMemcpyKind kind, hipStream_t s),                                                                   \
      (to, x, y, from, pitch, w, h, kind, s), given(s))                                                      \
    X(hipMemcpy2DFromArrayAsync, "hip_4.2",                                                                  \
      (void *to, size_t pitch, hipArray_const_t from, size_t x, size_t y, size_t w, size_t h,                \
       hipMemcpyKind kind, hipStream_t s),                                                                   \
      (to, pitch, from, x, y, w, h, kind, s), given(s))                                                      \
    X(hipMemcpyParam2DAsync, "hip_4.2", (const hip_Memcpy2D *p, hipStream_t s), (p, s), given(s))            \
    X(hipMemcpy3DAsync, "hip_4.2", (const struct hipMemcpy3DParms *p, hipStream_t s), (p, s), given(s))      \
    X(hipDrvMemcpy3DAsync, "hip_4.2", (const HIP_MEMCPY3D *p, hipStream_t s), (p, s), given(s))              \
    X(hipMemsetAsync, "hip_4.2", (void *to, int value, size_t n, hipStream_t s), (to, value, n, s),          \
      given(s))                                                                                              \
    X(hipMemsetD8Async, "hip_4.2", (hipDeviceptr_t to, unsigned char value, size_t n, hipStream_t s),        \
      (to, value, n, s), given(s))                                                                           \
    X(hipMemsetD16Async, "hip_4.2", (hipDeviceptr_t to, unsigned short value, size_t n, hipStream_t s),      \
      (to, value, n, s), given(s))                                                                           \
    X(hipMemsetD32Async, "hip_4.2", (hipDeviceptr_t to, int value, size_t n, hipStream_t s),                 \
      (to, value, n, s), given(s))                                                                           \
    X(hipMemset2DAsync, "hip_4.2", (void *to, size_t pitch, int value, size_t w, size_t h, hipStream_t s),   \
      (to, pitch, value, w, h, s), given(s))                                                                 \
    X(hipMemset3DAsync, "hip_4.2", (hipPitchedPtr to, int value, hipExtent size, hipStream_t s),             \
      (to, value, size, s), given(s))

/* Of the same headers; these work on the null stream. */
#define HIP_CALLS_NULL(X)                                                                                    \
    X(hipMemcpy, "hip_4.2", (void *to, const void *from, size_t n, hipMemcpyKind kind), (to, from, n, kind), \
      null_stream())                                                                                         \
    X(hipMemcpyHtoD, "hip_4.2", (hipDeviceptr_t to, void *from, size_t n), (to, from, n), null_stream())     \
    X(hipMemcpyDtoH, "hip_4.2", (void *to, hipDeviceptr_t from, size_t n), (to, from, n), null_stream())     \
    X(hipMemcpyDtoD, "hip_4.2", (hipDeviceptr_t to, hipDeviceptr_t from, size_t n), (to, from, n),           \
      null_stream())                                                                                         \
    X(hipMemcpyPeer, "hip_4.2", (void *to, int to_device, const void *from, int from_device, size_t n),      \
      (to, to_device, from, from_device, n), null_stream())                                                  \
    X(hipMemcpyToSymbol, "hip_4.2",                                                                          \
      (const void *symbol, const void *from, size_t n, size_t at, hipMemcpyKind kind),                       \
      (symbol, from, n, at, kind), null_stream())                                                            \
    X(hipMemcpyFromSymbol, "hip_4.2",                                                                        \
      (void *to, const void *symbol, size_t n, size_t at, hipMemcpyKind kind), (to, symbol, n, at, kind),    \
      null_stream())                                                                                         \
    X(hipMemcpy2D, "hip_4.2",                                                                                \
      (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t w, size_t h,                   \
       hipMemcpyKind kind),                                                                                  \
      (to, to_pitch, from, from_pitch, w, h, kind), null_stream())                                           \
    X(hipMemcpy2DToArray, "hip_4.2",                                                                         \
      (hipArray * to, size_t x, size_t y, const void *from, size_t pitch, size_t w, size_t h,                \
       hipMemcpyKind kind),                                                                                  \
      (to, x, y, from, pitch, w, h, kind), null_stream())                                                    \
    X(hipMemcpy2DFromArray, "hip_4.2",                                                                       \
      (void *to, size_t pitch, hipArray_const_t from, size_t x, size_t y, size_t w, size_t h,                \
       hipMemcpyKind kind),                                                                                  \
      (to, pitch, from, x, y, w, h, kind), null_stream())                                                    \
    X(hipMemcpyToArray, "hip_4.2",                                                                           \
      (hipArray * to, size_t x, size_t y, const void *from, size_t n, hipMemcpyKind kind),                   \
      (to, x, y, from, n, kind), null_stream())                                                              \
    X(hipMemcpyFromArray, "hip_4.2",                                                                         \
      (void *to, hipArray_const_t from, size_t x, size_t y, size_t n, hipMemcpyKind kind),                   \
      (to, from, x, y, n, kind), null_stream())                                                              \
    X(hipMemcpyHtoA, "hip_4.2", (hipArray * to, size_t at, const void *from, size_t n), (to, at, from, n),   \
      null_stream())                                                                                         \
    X(hipMemcpyAtoH, "hip_4.2", (void *to, hipArray *from, size_t at, size_t n), (to, from, at, n),          \
      null_stream())                                                                                         \
    X(hipMemcpyParam2D, "hip_4.2", (const hip_Memcpy2D *p), (p), null_stream())                              \
    X(hipMemcpy3D, "hip_4.2", (const struct hipMemcpy3DParms *p), (p), null_stream())                        \
    X(hipDrvMemcpy3D, "hip_4.2", (const HIP_MEMCPY3D *p), (p), null_stream())                                \
    X(hipMemset, "hip_4.2", (void *to, int value, size_t n), (to, value, n), null_stream())                  \
    X(hipMemsetD8, "hip_4.2", (hipDeviceptr_t to, unsigned char value, size_t n), (to, value, n),            \
      null_stream())                                                                                         \
    X(hipMemsetD16, "hip_4.2", (hipDeviceptr_t to, unsigned short value, size_t n), (to, value, n),          \
      null_stream())                                                                                         \
    X(hipMemsetD32, "hip_4.2", (hipDeviceptr_t to, int value, size_t n), (to, value, n), null_stream())      \
    X(hipMemset2D, "hip_4.2", (void *to, size_t pitch, int value, size_t w, size_t h),                       \
      (to, pitch, value, w, h), null_stream())                                                               \
    X(hipMemset3D, "hip_4.2", (hipPitchedPtr to, int value, hipExtent size), (to, value, size), null_stream())

/* Those of programs that are compiled with -fgpu-default-stream=per-thread: without a stream, or with the null stream,
 * they work on the thread's own. */
#define HIP_CALLS_PER_THREAD(X)                                                                              \
    X(hipLaunchKernel_spt, "hip_5.2",                                                                        \
      (const void *f, dim3 g, dim3 b, void **args, size_t lds, hipStream_t s), (f, g, b, args, lds, s),      \
      given_or_own(s))                                                                                       \
    X(hipLaunchCooperativeKernel_spt, "hip_5.2",                                                             \
      (const void *f, dim3 g, dim3 b, void **args, uint32_t lds, hipStream_t s), (f, g, b, args, lds, s),    \
      given_or_own(s))                                                                                       \
    X(hipGraphLaunch_spt, "hip_5.3", (hipGraphExec_t g, hipStream_t s), (g, s), given_or_own(s))             \
    X(hipMemcpyAsync_spt, "hip_5.2",                                                                         \
      (void *to, const void *from, size_t n, hipMemcpyKind kind, hipStream_t s), (to, from, n, kind, s),     \
      given_or_own(s))                                                                                       \
    X(hipMemcpy_spt, "hip_5.2", (void *to, const void *from, size_t n, hipMemcpyKind kind),                  \
      (to, from, n, kind), own_stream())                                                                     \
    X(hipMemcpyToSymbol_spt, "hip_5.2",                                                                      \
      (const void *symbol, const void *from, size_t n, size_t at, hipMemcpyKind kind),                       \
      (symbol, from, n, at, kind), own_stream())                                                             \
    X(hipMemcpyFromSymbol_spt, "hip_5.2",                                                                    \
      (void *to, const void *symbol, size_t n, size_t at, hipMemcpyKind kind), (to, symbol, n, at, kind),    \
      own_stream())                                                                                          \
    X(hipMemcpyToSymbolAsync_spt, "hip_5.3",                                                                 \
      (const void *symbol, const void *from, size_t n, size_t at, hipMemcpyKind kind, hipStream_t s),        \
      (symbol, from, n, at, kind, s), given_or_own(s))                                                       \
    X(hipMemcpyFromSymbolAsync_spt, "hip_5.3",                                                               \
      (void *to, const void *symbol, size_t n, size_t at, hipMemcpyKind kind, hipStream_t s),                \
      (to, symbol, n, at, kind, s), given_or_own(s))                                                         \
    X(hipMemcpy2D_spt, "hip_5.2",                                                                            \
      (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t w, size_t h,                   \
       hipMemcpyKind kind),                                                                                  \
      (to, to_pitch, from, from_pitch, w, h, kind), own_stream())                                            \
    X(hipMemcpy2DAsync_spt, "hip_5.3",                                                                       \
      (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t w, size_t h,                   \
       hipMemcpyKind kind, hipStream_t s),                                                                   \
      (to, to_pitch, from, from_pitch, w, h, kind, s), given_or_own(s))                                      \
    X(hipMemcpy3D_spt, "hip_5.2", (const struct hipMemcpy3DParms *p), (p), own_stream())                     \
    X(hipMemcpy3DAsync_spt, "hip_5.3", (const struct hipMemcpy3DParms *p, hipStream_t s), (p, s),            \
      given_or_own(s))                                                                                       \
    X(hipMemset_spt, "hip_5.2", (void *to, int value, size_t n), (to, value, n), own_stream())               \
    X(hipMemsetAsync_spt, "hip_5.3", (void *to, int value, size_t n, hipStream_t s), (to, value, n, s),      \
      given_or_own(s))                                                                                       \
    X(hipMemset2D_spt, "hip_5.2", (void *to, size_t pitch, int value, size_t w, size_t h),                   \
      (to, pitch, value, w, h), own_stream())                                                                \
    X(hipMemset2DAsync_spt, "hip_5.3",                                                                       \
      (void *to, size_t pitch, int value, size_t w, size_t h, hipStream_t s), (to, pitch, value, w, h, s),   \
      given_or_own(s))                                                                                       \
    X(hipMemset3D_spt, "hip_5.2", (hipPitchedPtr to, int value, hipExtent size), (to, value, size),          \
      own_stream())                                                                                          \
    X(hipMemset3DAsync_spt, "hip_5.3", (hipPitchedPtr to, int value, hipExtent size, hipStream_t s),         \
      (to, value, size, s), given_or_own(s))

/* Later than HIP 5.2. The configurations of the last two (HIP 6.5) have their stream behind 32 bytes. */
#define HIP_CALLS_LATER(X)                                                                                   \
    X(hipModuleLaunchCooperativeKernel, "hip_5.5", (HIP_GRID, unsigned lds, hipStream_t s, void **args),     \
      (HIP_GRID_ARGS, lds, s, args), given(s))                                                               \
    X(hipMemcpyHtoAAsync, "hip_6.2", (hipArray * to, size_t at, const void *from, size_t n, hipStream_t s),  \
      (to, at, from, n, s), given(s))                                                                        \
    X(hipMemcpyAtoHAsync, "hip_6.2", (void *to, hipArray *from, size_t at, size_t n, hipStream_t s),         \
      (to, from, at, n, s), given(s))                                                                        \
    X(hipMemcpyAtoD, "hip_6.2", (hipDeviceptr_t to, hipArray * from, size_t at, size_t n),                   \
      (to, from, at, n), null_stream())                                                                      \
    X(hipMemcpyDtoA, "hip_6.2", (hipArray * to, size_t at, hipDeviceptr_t from, size_t n),                   \
      (to, at, from, n), null_stream())                                                                      \
    X(hipLaunchKernelExC, "hip_6.5", (const void *config, const void *f, void **args), (config, f, args),    \
      configured(config))                                                                                    \
    X(hipDrvLaunchKernelEx, "hip_6.5", (const void *config, hipFunction_t f, void **args, void **extra),     \
      (config, f, args, extra), configured(config))

/* hip_ext.h, whose functions C++ names; since HIP 6 the first one is C's, too. */
#define HIP_EXT_MODULE                                                                                       \
    (hipFunction_t f, HIP_SIZES, size_t lds, hipStream_t s, void **args, void **extra, hipEvent_t start,     \
     hipEvent_t stop, uint32_t flags)
#define HIP_EXT_MODULE_ARGS (HIP_GRID_ARGS, lds, s, args, extra, start, stop, flags)
#define HIP_CALLS_EXT(X)                                                                                     \
    X(_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j,       \
      "hip_4.2", HIP_EXT_MODULE, HIP_EXT_MODULE_ARGS, given(s))                                              \
    X(hipExtModuleLaunchKernel, "hip_4.2", HIP_EXT_MODULE, HIP_EXT_MODULE_ARGS, given(s))                    \
    X(_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_,        \
      "hip_4.2",                                                                                             \
      (hipFunction_t f, HIP_SIZES, size_t lds, hipStream_t s, void **args, void **extra, hipEvent_t start,   \
       hipEvent_t stop),                                                                                     \
      (HIP_GRID_ARGS, lds, s, args, extra, start, stop), given(s))

/* Where streams come from. */
#define HIP_CALLS_CREATE(X)                                                                                  \
    X(hipStreamCreate, "hip_4.2", (hipStream_t * s), (s), )                                                  \
    X(hipStreamCreateWithFlags, "hip_4.2", (hipStream_t * s, unsigned flags), (s, flags), )                  \
    X(hipStreamCreateWithPriority, "hip_4.2", (hipStream_t * s, unsigned flags, int priority),               \
      (s, flags, priority), )                                                                                \
    X(hipExtStreamCreateWithCUMask, "hip_4.2", (hipStream_t * s, uint32_t n, const uint32_t *mask),          \
      (s, n, mask), )
#define HIP_CALLS_DESTROY(X) X(hipStreamDestroy, "hip_4.2", (hipStream_t s), (s), )

/* HIP's own dlsym. With flag 2 it answers with the functions of per-thread streams. */
#define HIP_CALLS_PROC(X)                                                                                    \
    X(hipGetProcAddress, "hip_6.1", (const char *symbol, void **f, int hip, uint64_t flags, void *status),   \
      (symbol, f, hip, flags, status), )

#endif
