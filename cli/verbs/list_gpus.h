/* list_gpus.h - the part of the verb `list` that tells of GPUs. */
#ifndef CLI_LIST_GPUS_H
#define CLI_LIST_GPUS_H

/* Prints what `run --gpu` accepts and what is known of each GPU, to the standard output. */
void list_gpus(void);

#endif
