/*
 * ls_ready.h - machine code of the device library, as device_code.c writes it down and ls_pass_ready.c uses it.
 */
#ifndef LS_READY_H
#define LS_READY_H

#include <stdint.h>

/* A word that depends on where the code comes to lie: the distance from the word itself to byte `target` of
 * the processor's cold code; its lower or its upper half. */
struct ls_ready_reference {
    uint32_t word, target;
    uint32_t high; /* 1: the upper half */
};

struct ls_ready_function {
    const char *cpu, *name; /* name NULL: the processor's cold code, which all others refer to */
    const uint32_t *words;
    uint32_t n_words, n_references;
    uint32_t scratch; /* bytes of memory on the stack, with those of what it calls */
    const struct ls_ready_reference *references;
    const char *clobbers; /* registers whose values a call of it changes, as constraints of inline assembly */
};

#endif
