/* privileges.h - programs that get more rights than who starts them. Into these the loader preloads nothing. */
#ifndef CLI_RUN_PRIVILEGES_H
#define CLI_RUN_PRIVILEGES_H

#include "cli/common/settings.h"

/* Says so when the program (a path), or the interpreter that its first line names, gets such rights (execve(2), and ld.so(8),
 * "Secure-execution mode"). gpu: "hw", "soft:gfx90a". 0, or an exit code when nothing of it can be observed there. */
int check_privileges(const struct effective *e, const char *gpu, const char *program);

#endif
