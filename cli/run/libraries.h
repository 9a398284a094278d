/* libraries.h - the libraries that a program is linked with. */
#ifndef CLI_RUN_LIBRARIES_H
#define CLI_RUN_LIBRARIES_H

/* Calls `each` for each library that the loader would load with the program, in its order: what the program calls it, and its
 * path, which live as long as the call. Calls nothing for what is no dynamic program. */
void each_library(const char *program, void (*each)(void *context, const char *name, const char *path),
                  void *context);

#endif
