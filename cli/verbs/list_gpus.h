/* list_gpus.h - what `run --gpu` accepts, and what is known of each GPU in the table (gpus/). */
#ifndef CLI_LIST_GPUS_H
#define CLI_LIST_GPUS_H

#include <jansson.h>

void list_gpus(void);
/* The table as an array; a new reference. */
json_t *gpus_json(void);

#endif
