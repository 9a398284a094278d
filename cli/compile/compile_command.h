/*
 * compile_command.h - what a compiler's command line asks for: which word is the compiler, and whether device
 * code of HIP is compiled or linked.
 */
#ifndef CLI_COMPILE_COMMAND_H
#define CLI_COMPILE_COMMAND_H

#include "cli/common/arguments.h"

enum debug { DEBUG_DEFAULT, DEBUG_NONE, DEBUG_SOME };

struct command {
    bool device;   /* device code of HIP is compiled or linked; all else is passed on as it is */
    bool rdc;      /* -fgpu-rdc: device code is compiled to bitcode and optimised when it is linked */
    bool links;    /* no -c, -S, -E, ..., and there is something to link */
    bool sources;  /* has HIP sources */
    bool ends;     /* "--" is there, which inputs follow */
    bool spirv;    /* among the GPUs is "amdgcnspirv", code that is no GPU's yet */
    bool codeview; /* -gcodeview, in the place of DWARF unless that is asked for, too */
    bool no_columns, no_inlined_lines; /* of what debug information says */
    enum debug debug;                  /* what -g options ask of the device's code */
    bool arch;                         /* says which GPUs to compile for, or that there is none */
    bool code_object;                  /* -mcode-object-version is there */
    bool generic;                      /* so is a target of several GPUs, as "gfx9-4-generic" */
    bool marks; /* sources that clang would not take for HIP get -x hip: --offload-arch says that they are */
    bool hides_folders; /* the plugin may run where no command names the folders of system headers */
    const char *rocm_path, *device_libs;
};

/*
 * Index of the compiler among the words of a command, which others that start it may precede: "ccache hipcc",
 * "ccache debug=true /usr/bin/c++", any program before a compiler's name. -1: no compiler that is known. A word
 * with a '/' has to be executable.
 */
int compiler_word(int argc, char **argv);

/* Whether a command whose first word is no compiler that is known looks like a compilation all the same: a
 * program with a source, an object or a question to a compiler among its arguments. */
bool is_compilation(int argc, char **argv);

/* Pipes among the response files, @<(...), can be read once: they are replaced in argv by files that hold
 * what came out of them, and that the compiler inherits. Before anything else looks at the command. */
void keep_pipes(int argc, char **argv);

/* The file's text, malloc'd; NULL when it cannot be read, which is the compiler's to report, and when it is
 * no ordinary file: a pipe would be empty then. */
char *read_text(const char *path);

/* Reads the command of argv[0], the compiler, with the response files in it. */
struct command scan_command(int argc, char **argv);

/* Appends the arguments argv[1..argc-1],
 * sources marked where c->marks says so, such that options may follow. */
void add_command(struct arguments *out, const struct command *c, int argc, char **argv);

#endif
