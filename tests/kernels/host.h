/* host.h - runs a kernel on the host: each work-item of a work-group is a fiber, switched at barriers. */
#ifndef TESTS_KERNELS_HOST_H
#define TESTS_KERNELS_HOST_H

#include "device.h"

typedef void (*kernel_fn)(const u32 *a, const u32 *b, u32 *out, u32 n);
/* Runs all work-groups one after the other. */
void host_run(kernel_fn kernel, const u32 *a, const u32 *b, u32 *out, u32 n);

#endif
