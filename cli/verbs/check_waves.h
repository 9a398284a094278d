/*
 * check_waves.h - `check --waves`: which source lines do otherwise when wavefronts have another size (docs/check.md).
 */
#ifndef CLI_CHECK_WAVES_H
#define CLI_CHECK_WAVES_H

#include <stdbool.h>

/* Compares two recordings of one program and prints what depends on the size, as JSON if so wished. Exit code: EXIT_OK when
 * nothing does. */
int check_waves(char *const databases[2], bool json);

#endif
