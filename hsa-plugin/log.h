/* log.h - lines on stderr, prefixed "lanescope: ". Nothing else of ours ever writes there. */
#ifndef HSA_PLUGIN_LOG_H
#define HSA_PLUGIN_LOG_H

enum ls_log_level { LS_LOG_ERROR, LS_LOG_WARNING, LS_LOG_INFO, LS_LOG_DEBUG };

void ls_log_threshold(int level);
/* Writes one line with one system call, so that lines of several processes do not mix. Keeps errno. */
void ls_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
