/* device.h - what the self-test's kernels share. They are C for the bare GPU: no HIP, no library. */
#ifndef SELFTEST_DEVICE_DEVICE_H
#define SELFTEST_DEVICE_DEVICE_H

#define KERNEL __attribute__((amdgpu_kernel, visibility("protected"), used)) void
#define GLOBAL __attribute__((address_space(1)))
#define LDS __attribute__((address_space(3)))

typedef unsigned int u32;
typedef unsigned long long u64;

static inline u32 lane_id(void)
{
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

#endif
