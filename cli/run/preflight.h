/*
 * preflight.h - what `run` can find out before the program starts, so that a wrong setting costs no run.
 * Functions return 0, or an exit code after a message.
 */
#ifndef CLI_PREFLIGHT_H
#define CLI_PREFLIGHT_H

#include "cli/common/settings.h"

/* Every handler is there and can be loaded. */
int check_handlers(const struct effective *e);
/* Puts "hw" or "soft:..." into `gpu`. */
void choose_gpu(const struct effective *e, char *gpu, size_t size);
/* The name of the GPU that `run` would emulate without options; NULL: it would take the machine's. */
const char *emulated_gpu(void);
/* There is a GPU for "hw", and the runtime of the program (a path) knows the emulated one. */
int check_gpu_is_there(const struct effective *e, const char *gpu, const char *program);
/* Nothing that is not Lanescope's stands where the database (with %p and %h) and the access log go, as far as
 * the names are known before; --force removes it. */
int check_outputs(const struct effective *e, const char *output);

#endif
