/* code.h - the machine code that a kernel runs, for handlers that ask for it. */
#ifndef JOIN_CODE_H
#define JOIN_CODE_H

#include "join/machine/isa.h"
#include "objects/site_groups.h"
#include "objects/sites.h"

struct ls_code {
    struct lanescope_function *functions; /* the kernel first */
    uint32_t n;
};

/* Kernel number `kernel` of the module, then the module's functions with sites that no other kernel has for
 * itself. NULL: the kernel's code could not be read. Strings of functions' names are the module's. */
struct ls_code *ls_code_read(const struct ls_module *m, const struct ls_site_groups *sites, uint32_t kernel,
                             struct ls_isa *isa);

#endif
