/* source.h - keeps the text of what is compiled at run time, and gives it a file name that lasts. */
#ifndef HSA_PLUGIN_RTC_SOURCE_H
#define HSA_PLUGIN_RTC_SOURCE_H

#include "comgr.h"

/* Writes the sources and headers of `in` below `directory`, and adds all data of `in` to `out`, these with a
 * line in front that tells the compiler the names of the written files. Thread-safe, also between processes.
 * False: a file cannot be written (errno), or comgr refuses. */
bool rtc_keep_sources(const struct comgr *c, const char *directory, comgr_object in, comgr_object out);

#endif
