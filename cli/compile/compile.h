/*
 * compile.h - the verb that runs a compiler with the plugin: lanescope hipcc ..., lanescope clang++ ...
 */
#ifndef CLI_COMPILE_H
#define CLI_COMPILE_H

/*
 * Runs the compiler argv[0] (a name for PATH, or a path) with the arguments argv[1..argc-1] and what makes it
 * instrument device code. Replaces the process, so output and exit code are the compiler's; returns only for
 * --lanescope-help (0) and on errors, after a message (exit codes of cli.h). LANESCOPE_VERBOSE=true prints the
 * command. `gpu` is called when the command
 * compiles device code and names no GPU, and says which one is meant; NULL from it, or in its place: what the
 * compiler finds.
 */
int lanescope_compile(int argc, char **argv, const char *(*gpu)(void));

#endif
