/* code.h - the code objects that a process loaded, and the kernels in them. */
#ifndef CLI_CONVERT_CODE_H
#define CLI_CONVERT_CODE_H

#include "trace.h"

struct code_object {
    int64_t id, agent, bytes, load_base;
    const char *uri; /* "" when unknown */
};
struct code_kernel {
    const struct ls_r_kernel *kernel;
    int64_t code_object;
};
struct code {
    struct code_object *objects; /* by id */
    struct code_kernel *kernels; /* by id */
    size_t n_objects, n_kernels;
};

/* Texts belong to the trace. 0, or EXIT_DATABASE after a message; to be freed in any case. */
int code_of(const struct trace_part *part, struct code *c);
void code_free(struct code *c);

#endif
