/* MD5 (RFC 1321), which compilers use to tell source files apart; no protection against anybody. */
#ifndef RESULTS_MD5_H
#define RESULTS_MD5_H

#include <stddef.h>

/* 32 hex digits and 0. */
void ls_md5(const void *data, size_t size, char out[33]);

#endif
