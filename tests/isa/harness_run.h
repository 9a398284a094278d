/* harness_run.h - what diff.c needs of the harness: assemble, run, count per mnemonic. */
#ifndef TESTS_ISA_HARNESS_RUN_H
#define TESTS_ISA_HARNESS_RUN_H

#include "harness.h"

enum outcome { RUN_OK, RUN_MISMATCH, RUN_UNIMPLEMENTED };

struct tally {
    const char *name;
    unsigned cases; /* accepted by the assembler, executed */
    unsigned rejected, unimplemented, mismatches;
};

/* False when llvm-mc-22 is missing or its output is not understood (message printed). */
bool suite_assemble(struct suite *s);
/* Says what went wrong and ends the program. */
_Noreturn void harness_die(const char *what);
/* One zeroed tally per mnemonic, sorted by name; free() it. */
struct tally *suite_tallies(const struct suite *s, size_t *n);
struct tally *tally_find(struct tally *t, size_t n, const char *name);
/* Executes everything; prints at most max_print differences per mnemonic. */
bool suite_run(struct suite *s, struct tally *tally, size_t n_tally, unsigned max_print);

#endif
