/* Checks of setting values: NULL when acceptable, else what is accepted (static text). */
#ifndef CLI_CHECKS_H
#define CLI_CHECKS_H

const char *check_gpu(const char *text, char **value);
const char *check_boolean(const char *text, char **value);
const char *check_regex(const char *text, char **value);
const char *check_ranges(const char *text, char **value);
const char *check_sample(const char *text, char **value);
const char *check_blocks(const char *text, char **value);
const char *check_ring(const char *text, char **value);
const char *check_chunk(const char *text, char **value);
const char *check_sources(const char *text, char **value);
const char *check_on_full(const char *text, char **value);
const char *check_seconds(const char *text, char **value);
const char *check_threads(const char *text, char **value);
const char *check_seed(const char *text, char **value);
const char *check_check(const char *text, char **value);
const char *check_exit_code(const char *text, char **value);
const char *check_log_level(const char *text, char **value);
const char *check_name(const char *text, char **value);

#endif
