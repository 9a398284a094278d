/* compile.h - an action of comgr, with kernels observed where it makes any. */
#ifndef HSA_PLUGIN_RTC_COMPILE_H
#define HSA_PLUGIN_RTC_COMPILE_H

#include "comgr.h"

/* What becomes of the code of one comgr. */
struct rtc {
    struct comgr comgr;
    char *plugin;    /* of the compiler; NULL: nothing is observed */
    char *clang;     /* that loads it outside of this process, where comgr cannot; or NULL */
    char *why;       /* no plugin: why, to be told when a kernel is compiled; or NULL */
    char *directory; /* for the texts of sources */
    bool known;      /* comgr's functions were found; else nothing is tried */
    bool prepared;   /* plugin, why and directory are set (prepare.h) */
};

/* Does what the same call of comgr would: result, log and status are its own, whatever fails on our side. */
int rtc_action(struct rtc *r, int action, comgr_object info, comgr_object in, comgr_object out);

#endif
