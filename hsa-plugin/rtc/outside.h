/*
 * outside.h - code generation by a clang of its own, for comgrs that hold their LLVM inside themselves, as those of AMD's
 * packages do: no plugin can be loaded there.
 */
#ifndef HSA_PLUGIN_RTC_OUTSIDE_H
#define HSA_PLUGIN_RTC_OUTSIDE_H

#include "compile.h"
#include "plugin.h"

/* Sets r->clang and r->plugin to a clang that can load our plugin: LANESCOPE_LLVM_DIR's, the one beside comgr, or the
 * machine's. Otherwise both stay NULL, with the reason in `why`. */
void rtc_find_outside(struct rtc *r, char why[PLUGIN_WHY]);

/* What comgr's code generation does with `in`, into `result`, but with clones. False: it cannot be done. Says once when
 * the originals are not comgr's, byte for byte. */
bool rtc_generate_outside(const struct rtc *r, int action, comgr_object info, comgr_object in,
                          comgr_object result);

/* The same where one action makes code of sources: `in` are these, `bitcode` what comgr has made of them with lines and
 * before its passes. The log is left to the caller. */
bool rtc_finish_outside(const struct rtc *r, int action, comgr_object info, comgr_object in,
                        comgr_object bitcode, comgr_object result);

#endif
