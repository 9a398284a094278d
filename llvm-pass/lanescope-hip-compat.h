/*
 * lanescope-hip-compat.h - included before the headers of ROCm 5 when clang 17 or later compiles HIP
 * (cli/compile/compile.c): what these headers expect of the compiler and its device libraries, and newer
 * compilers no longer provide. Without clang's own wrapper of them (-nogpuinc) they are not used, nor are the types of
 * theirs there.
 */
#ifndef LANESCOPE_HIP_COMPAT_H
#define LANESCOPE_HIP_COMPAT_H
#if defined(__HIP__) && defined(__clang__) && defined(__cplusplus) && defined(__CLANG_HIP_RUNTIME_WRAPPER_H__)

/* Until clang 20 a macro of the compiler. */
#ifndef __AMDGCN_WAVEFRONT_SIZE
#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
#define __AMDGCN_WAVEFRONT_SIZE 32
#else
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
#endif

/* Until clang 19 in a device library, hip.bc, that the compiler links; the headers call it until ROCm 5.5. The scope of
 * a fence must be a constant. */
#if __has_include(<hip/hip_version.h>)
#include <hip/hip_version.h>
#endif
#if defined(__HIP_DEVICE_COMPILE__) && __has_include(<hip/amd_detail/device_library_decls.h>) &&                       \
    HIP_VERSION_MAJOR == 5 && HIP_VERSION_MINOR < 6
#include <hip/amd_detail/device_library_decls.h>
#define LANESCOPE_FENCE(scope)                                                                               \
    switch (order) {                                                                                         \
    case __ATOMIC_ACQUIRE:                                                                                   \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, scope);                                                     \
        break;                                                                                               \
    case __ATOMIC_RELEASE:                                                                                   \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, scope);                                                     \
        break;                                                                                               \
    case __ATOMIC_ACQ_REL:                                                                                   \
        __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, scope);                                                     \
        break;                                                                                               \
    case __ATOMIC_SEQ_CST:                                                                                   \
        __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, scope);                                                     \
        break;                                                                                               \
    default:                                                                                                 \
        break;                                                                                               \
    }
extern "C" __attribute__((device)) inline void
__atomic_work_item_fence(__cl_mem_fence_flags, __memory_order order, __memory_scope scope)
{
    switch (scope) {
    case __memory_scope_work_group:
        LANESCOPE_FENCE("workgroup") break;
    case __memory_scope_device:
        LANESCOPE_FENCE("agent") break;
    case __memory_scope_all_svm_devices:
        LANESCOPE_FENCE("") break;
    case __memory_scope_sub_group:
        LANESCOPE_FENCE("wavefront") break;
    default:
        break;
    }
}
#undef LANESCOPE_FENCE
#endif

/* Until clang 16 an intrinsic, which the headers' functions of these names call by its name. Those stay:
 * between two overloads that match alike,
 * clang takes the one with enable_if (clang, "Attributes in Clang"). */
#ifdef __HIP_DEVICE_COMPILE__
#define LANESCOPE_PREFERRED __attribute__((enable_if(1, "instead of ROCm 5's")))
static inline __attribute__((device)) unsigned atomicInc(unsigned *at, unsigned limit) LANESCOPE_PREFERRED
{
    return __builtin_amdgcn_atomic_inc32(at, limit, __ATOMIC_RELAXED, "agent");
}
static inline __attribute__((device)) unsigned atomicDec(unsigned *at, unsigned limit) LANESCOPE_PREFERRED
{
    return __builtin_amdgcn_atomic_dec32(at, limit, __ATOMIC_RELAXED, "agent");
}
#undef LANESCOPE_PREFERRED
#endif

/* Until clang 19, and no longer in 22, in clang's own headers; the headers of half precision need them. They
 * are made under names of ours, so that it does not matter whether clang has them. */
typedef _Float16 lanescope_2f16 __attribute__((ext_vector_type(2)));
static inline __attribute__((device)) _Float16 lanescope_rcp_f16(_Float16 x)
{
    return __builtin_amdgcn_rcph(x);
}
static inline __attribute__((device)) lanescope_2f16 lanescope_rcp_2f16(lanescope_2f16 x)
{
    return lanescope_2f16{lanescope_rcp_f16(x.x), lanescope_rcp_f16(x.y)};
}
#define __llvm_amdgcn_rcp_f16 lanescope_rcp_f16
#define __llvm_amdgcn_rcp_2f16 lanescope_rcp_2f16

#endif
#endif
