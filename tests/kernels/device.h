/*
 * device.h - lets one C source be a GPU kernel and an ordinary host function. On the host each work-item runs
 * as a fiber (host.c), so that barriers work; atomics are plain operations there.
 */
#ifndef TESTS_KERNELS_DEVICE_H
#define TESTS_KERNELS_DEVICE_H

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

enum { GROUP = 256, GROUPS = 4, ITEMS = GROUP * GROUPS, OUT_WORDS = 16 * ITEMS };

#ifdef __AMDGCN__
#define KERNEL __attribute__((amdgpu_kernel, visibility("protected"), used)) void
#define GLOBAL __attribute__((address_space(1)))
#define LDS(type, name, n) static __attribute__((address_space(3), loader_uninitialized)) type name[n]
#define LDS_POINTER(type) __attribute__((address_space(3))) type *
static inline u32 local_id(void)
{
    return __builtin_amdgcn_workitem_id_x();
}
static inline u32 group_id(void)
{
    return __builtin_amdgcn_workgroup_id_x();
}
static inline void barrier(void)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#define ATOMIC_ADD(p, v) __scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define ATOMIC_MAX(p, v) __scoped_atomic_fetch_max(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define ATOMIC_MIN(p, v) __scoped_atomic_fetch_min(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define ATOMIC_OR(p, v) __scoped_atomic_fetch_or(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define ATOMIC_XOR(p, v) __scoped_atomic_fetch_xor(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define ATOMIC_CAS(p, expected, v)                                                                           \
    __scoped_atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED,                \
                                       __MEMORY_SCOPE_DEVICE)
#else
#define KERNEL void
#define GLOBAL
#define LDS(type, name, n) static type name[n]
#define LDS_POINTER(type) type *
extern u32 host_local_id, host_group_id;
void barrier(void);
static inline u32 local_id(void)
{
    return host_local_id;
}
static inline u32 group_id(void)
{
    return host_group_id;
}
#define ATOMIC_ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define ATOMIC_MAX(p, v) __atomic_fetch_max(p, v, __ATOMIC_RELAXED)
#define ATOMIC_MIN(p, v) __atomic_fetch_min(p, v, __ATOMIC_RELAXED)
#define ATOMIC_OR(p, v) __atomic_fetch_or(p, v, __ATOMIC_RELAXED)
#define ATOMIC_XOR(p, v) __atomic_fetch_xor(p, v, __ATOMIC_RELAXED)
#define ATOMIC_CAS(p, expected, v)                                                                           \
    __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#endif

static inline u32 item(void)
{
    return group_id() * GROUP + local_id();
}
#define NOINLINE __attribute__((noinline))
/* All kernels have the same parameters: two inputs of ITEMS words, OUT_WORDS words of output, a number. */
#define PARAMETERS const GLOBAL u32 *a, const GLOBAL u32 *b, GLOBAL u32 *out, __attribute__((unused)) u32 n

/* NaNs of different hardware carry different payloads: all become one. */
static inline u32 float_bits(float v)
{
    union {
        float f;
        u32 u;
    } x = {v};
    return v != v ? 0x7fc00000 : x.u;
}
static inline float float_of(u32 v)
{
    union {
        u32 u;
        float f;
    } x = {v};
    return x.f;
}
static inline u64 double_bits(double v)
{
    union {
        double f;
        u64 u;
    } x = {v};
    return v != v ? 0x7ff8000000000000 : x.u;
}
static inline double double_of(u64 v)
{
    union {
        u64 u;
        double f;
    } x = {v};
    return x.f;
}

#endif
