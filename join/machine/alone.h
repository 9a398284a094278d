/*
 * alone.h - the site table of a kernel that was compiled without the plugin, made of its machine code: each
 * memory instruction is a site. For the software GPU, which tells what instructions access without probes
 * (lanescope/wire.h, struct ls_code_map).
 */
#ifndef JOIN_ALONE_H
#define JOIN_ALONE_H

#include "isa.h"
#include "objects/sites.h"

/* A function's part of the words. */
struct ls_alone_range {
    uint64_t address; /* as the file numbers addresses */
    uint32_t n, first;
};

struct ls_alone {
    struct ls_module module; /* no kernels; `raw` has kind, flags and reason only, `places` is NULL */
    struct lanescope_isa *isa;
    uint64_t *offsets; /* of each site's instruction, from its function's first one */
    uint32_t *words;   /* as behind struct ls_code_map */
    size_t n_words;
    struct ls_alone_range *ranges; /* the kernel's is the first one */
    size_t n_ranges;
    const char *
        file; /* where the kernel is defined, living as long as the machine code that was read; NULL: that is not known */
    uint32_t line;
    /* backing memory */
    struct ls_site *raw;
    struct lanescope_pass *passes;
    char **texts;
    size_t n_texts;
};

/* Of the kernel (linkage name) and of the functions that it may call: those that direct calls reach, and where there
 * is a call through a pointer (a site of kind LS_SITE_CALL then), all of the code object that are no kernels. gpu:
 * "gfx90a". NULL with *why (static text). Free with ls_alone_free. */
struct ls_alone *ls_alone_read(struct ls_isa *x, const char *kernel, const char *gpu, const char **why);
void ls_alone_free(struct ls_alone *a);

#endif
