/* defaults.h - what the launcher and the tool library must agree on. */
#ifndef LANESCOPE_DEFAULTS_H
#define LANESCOPE_DEFAULTS_H

/* Handlers that run when none are named. man/lanescope.1 tells it to the user. */
#define LS_DEFAULT_HANDLERS "lds_bank_conflicts,memory_coalescing,advice"

#endif
