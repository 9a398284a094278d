/*
 * sites.h (not the public one) - reads ".lanescope.sites" (lanescope/sites.h) out of a code object and turns
 * it into what handlers see. The section comes from a file that anybody may have damaged: every count, offset
 * and string is checked before use.
 */
#ifndef OBJECTS_SITES_H
#define OBJECTS_SITES_H

#include <stddef.h>
#include <stdint.h>
#include "lanescope/handler.h"
#include "lanescope/sites.h"

struct ls_module_kernel {
    const char *name, *clone, *file;
    uint32_t ctx_offset, flags, line;
    struct ls_site_numbers numbers; /* of its dispatches' messages */
};

/* One block of the section. All strings and arrays live as long as the module. */
struct ls_module {
    uint64_t hash;
    uint32_t llvm_major, wire_version;
    const char *target;
    uint32_t n_kernels, n_sites;
    struct ls_module_kernel *kernels;
    struct lanescope_site *sites;
    const struct ls_site *raw;          /* n_sites, for what handlers do not see: kernel, reason */
    const struct ls_site_place *places; /* n_sites; NULL: an older compiler wrote the table */
    const char **functions;             /* n_sites: linkage names */
    struct lanescope_detail *details;   /* n_sites; NULL: an older compiler wrote the table */
    const struct ls_site_lead *leads;   /* in order of leader and follower */
    uint32_t *first_lead;               /* n_sites + 1: where a site's own begin; NULL: there are none */
    /* backing memory */
    void *block;
    struct lanescope_frame *frames;
    struct lanescope_frame *places_of_branches;
    struct lanescope_variable *variables;
    struct lanescope_branch *branches;
    unsigned char *origins; /* enum ls_file_origin of each of the frames' files */
};

/* Reads all blocks of a section. 0 and malloc'd *modules (may be 0 of them), -1 with *why (static text) when
 * the section is damaged, -2 when out of memory. The section's memory may go away afterwards. */
int ls_sites_parse(const void *section, size_t bytes, struct ls_module **modules, size_t *n,
                   const char **why);
void ls_sites_free(struct ls_module *modules, size_t n);

#endif
