/*
 * times.h - start and end times of kernels, for the application that asks for them.
 *
 * An intercepted dispatch signals us; the application's signal is carried by a barrier behind it, and would
 * give the barrier's times. hsa_amd_profiling_get_dispatch_time is answered from here instead, so that HIP's
 * event timings stay those of the kernel that ran.
 */
#ifndef HSA_PLUGIN_TIMES_H
#define HSA_PLUGIN_TIMES_H

#include <stdbool.h>
#include <stdint.h>
#include <hsa/hsa.h>

/* The application's signal now stands for dispatch `number`, whose own signal is `own`. */
void ls_times_bind(uint64_t app_signal, uint64_t number, hsa_signal_t own);
/* The application's signal now stands for something else (a barrier packet). */
void ls_times_unbind(uint64_t app_signal);
/* The dispatch's times (ns); its own signal may be reused afterwards. */
void ls_times_final(uint64_t app_signal, uint64_t number, uint64_t start, uint64_t end);
/* true: the signal stands for a dispatch of ours. Then either *own is the signal to ask (nonzero), or the
 * times are in *start and *end. */
bool ls_times_find(uint64_t app_signal, hsa_signal_t *own, uint64_t *start, uint64_t *end);

#endif
