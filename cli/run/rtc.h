/* rtc.h - what `run` sets up so that kernels compiled while the program runs are observed. */
#ifndef CLI_RTC_H
#define CLI_RTC_H

/* Tells the preloaded library where it keeps their sources, and gives the caches of runtimes and libraries
 * folders of ours: none of our code gets into the program's own caches, and none of theirs hides a kernel.
 * Below $XDG_CACHE_HOME/lanescope or ~/.cache/lanescope. Nothing is made here. */
void rtc_prepare(void);
/* Such kernels are left alone. */
void rtc_off(void);

#endif
