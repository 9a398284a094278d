/* loadable.h - the installed pieces by a path that ld.so and ROCr can take. */
#ifndef CLI_LOADABLE_H
#define CLI_LOADABLE_H

/* A directory whose path has no blank and no colon, at which LD_PRELOAD and HSA_TOOLS_LIB are split (ld.so(8)): that of the run-time
 * pieces (paths.h), or a link to it, where its own path has one. The link stays for programs that outlive the command; it lies in a
 * folder of the user's that nobody else may write. Static storage; NULL: no such link can be made. */
const char *loadable_directory(void);

#endif
