/* late.c - a library whose destructor runs behind that of the preloaded software GPU, as those of HIP and ROCr do. */
#include "late.h"

void (*late)(void);

__attribute__((destructor)) static void end(void)
{
    if (late)
        late();
}
