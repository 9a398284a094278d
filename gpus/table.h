/* table.h - the rows (table.c), for gpus.c alone. */
#ifndef GPUS_TABLE_H
#define GPUS_TABLE_H

#include "gpus.h"

/* The first emulated row is the default. At least one row is emulated. */
extern const struct ls_gpu ls_gpus[];
extern const size_t ls_n_gpus;

/* The longest prefix that fits is taken, in whatever order they stand. */
extern const struct ls_gpu_family ls_gpu_families[];
extern const size_t ls_n_gpu_families;

#endif
