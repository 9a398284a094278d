/*
 * compile_command.h - what a compiler's command line asks for: which word is the compiler, and whether device
 * code of HIP is compiled or linked.
 */
#ifndef CLI_COMPILE_COMMAND_H
#define CLI_COMPILE_COMMAND_H

#include "arguments.h"

struct command {
    bool device;      /* device code of HIP is compiled or linked; all else is passed on as it is */
    bool rdc;         /* -fgpu-rdc: device code is compiled to bitcode and optimised when it is linked */
    bool links;       /* no -c, -S, -E, ..., and there is something to link */
    bool sources;     /* has HIP sources */
    bool debug;       /* a -g option is there */
    bool code_object; /* -mcode-object-version is there */
    bool marks; /* sources that clang would not take for HIP get -x hip: --offload-arch says that they are */
    const char *rocm_path, *device_libs;
};

/*
 * Index of the compiler among the words of a command, which others that start it may precede: "ccache hipcc",
 * "ccache debug=true /usr/bin/c++". -1: these are not words of a compilation. A word with a '/' has to be
 * executable.
 */
int compiler_word(int argc, char **argv);

/* Reads the command of argv[0], the compiler, with the response files in it. */
struct command scan_command(int argc, char **argv);

/* Appends the arguments argv[1..argc-1], sources marked where c->marks says so. */
void add_command(struct arguments *out, const struct command *c, int argc, char **argv);

#endif
