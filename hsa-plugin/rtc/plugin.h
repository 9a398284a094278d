/* plugin.h - the compiler plugin for the LLVM inside a comgr. */
#ifndef HSA_PLUGIN_RTC_PLUGIN_H
#define HSA_PLUGIN_RTC_PLUGIN_H

#include "comgr.h"

enum { PLUGIN_WHY = 256 };

/* Path of the plugin that this comgr's LLVM can load from now on (malloc'd); NULL, with the reason in `why`:
 * it must not be asked to load one then, for a plugin that fails makes the program's own compile fail. */
char *rtc_plugin(const struct comgr *c, char why[PLUGIN_WHY]);
/* Whether this comgr's LLVM is no library of its own, so that none can be loaded. */
bool rtc_llvm_inside(const struct comgr *c);

#endif
