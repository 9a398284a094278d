/* late.h - what is to be done when the software GPU has stopped. */
#ifndef SOFT_GPU_KFD_TESTS_LATE_H
#define SOFT_GPU_KFD_TESTS_LATE_H

__attribute__((visibility("default"))) extern void (*late)(void);

#endif
