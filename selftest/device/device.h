/* device.h - what the self-test's kernels share. They are C for the bare GPU: no HIP, no library. */
#ifndef SELFTEST_DEVICE_DEVICE_H
#define SELFTEST_DEVICE_DEVICE_H

#define KERNEL __attribute__((amdgpu_kernel, visibility("protected"), used)) void
#define GLOBAL __attribute__((address_space(1)))
#define LDS __attribute__((address_space(3)))

typedef unsigned int u32;
typedef unsigned long long u64;

#endif
