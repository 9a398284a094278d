/* check.h - what cmocka wants included before it. */
#ifndef HSA_PLUGIN_TESTS_CHECK_H
#define HSA_PLUGIN_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#endif
