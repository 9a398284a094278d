/*
 * runtime.h - what can be known of the ROCr and the HIP that open the device.
 */
#ifndef SOFT_GPU_KFD_RUNTIME_H
#define SOFT_GPU_KFD_RUNTIME_H

#include <stdbool.h>

/* False when the process has a ROCr loaded that does not know the target, which then crashes in HIP; one line
 * on stderr has said so. So does one line for a HIP that does not. */
bool runtime_knows(const char *target);

#endif
