/* prepare.h - what observing a comgr's kernels needs, made when the program compiles its first. */
#ifndef HSA_PLUGIN_RTC_PREPARE_H
#define HSA_PLUGIN_RTC_PREPARE_H

#include <stdbool.h>
#include "compile.h"

/* Where texts are kept; `lanescope run` sets it unless run-time compilers are to be left alone. NULL: they are. */
const char *rtc_directory(void);
/* Whether they are not, or would not be if there were such a folder. */
bool rtc_wanted(void);
/* Makes the folders and loads the plugin for r->comgr, once; sets r->plugin and r->directory, or r->why. */
void rtc_prepare(struct rtc *r);

#endif
