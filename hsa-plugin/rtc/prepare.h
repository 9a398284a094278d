/* prepare.h - what observing a comgr's kernels needs, made when the program compiles its first. */
#ifndef HSA_PLUGIN_RTC_PREPARE_H
#define HSA_PLUGIN_RTC_PREPARE_H

#include <stdbool.h>
#include "compile.h"

/* Whether run-time compilers are not to be left alone, or would not be if there were a folder for texts. */
bool rtc_wanted(void);
/* Makes the folders and loads the plugin for r->comgr, once; sets r->plugin and r->directory, or r->why. */
void rtc_prepare(struct rtc *r);

#endif
