/* known_compilers.h - the LLVM of compilers that were asked before. */
#ifndef CLI_KNOWN_COMPILERS_H
#define CLI_KNOWN_COMPILERS_H

/* Its major version; 0: it has to be asked. */
int known_major(const char *compiler);

/* Keeps the answer: the version, and the compiler proper that it runs, by an absolute path. A cache that cannot be written is no
 * error. */
void keep_major(const char *compiler, int major, const char *proper);

#endif
