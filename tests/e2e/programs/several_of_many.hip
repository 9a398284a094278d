/* The kernels of several.hip in a module of many. */
#include <hip/hip_runtime.h>

#include "crowd.h"
#include "several.hip"
