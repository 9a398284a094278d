/*
 * sites.h (not the public one) - reads ".lanescope.sites" (lanescope/sites.h) out of a code object and turns
 * it into what handlers see. The section comes from a file that anybody may have damaged: every count, offset
 * and string is checked before use.
 */
#ifndef OBJECTS_SITES_H
#define OBJECTS_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lanescope/handler.h"
#include "lanescope/sites.h"

struct ls_module_kernel {
    const char *name, *clone, *file;
    uint32_t ctx_offset, flags, line;
    struct ls_site_numbers numbers; /* of its dispatches' messages */
};

/* A place of the source whose access the compiler merged into a site that has another place. */
struct ls_module_part {
    uint32_t site, n_frames;
    const struct lanescope_frame *frames; /* the innermost first */
};

/* One block of the section. All strings and arrays live as long as the module. */
struct ls_module {
    uint64_t hash;
    uint32_t llvm_major, wire_version;
    const char *target;
    uint32_t n_kernels, n_sites;
    struct ls_module_kernel *kernels;
    struct lanescope_site *sites; /* with the places that the machine code has */
    struct lanescope_site
        *told;                 /* the same for users: merged accesses that have a borrowed place have that of
                                     their first part. NULL: `sites` */
    const struct ls_site *raw; /* n_sites, for what handlers do not see: kernel, reason */
    const struct ls_site_place *places; /* n_sites; NULL: an older compiler wrote the table */
    const char **functions;             /* n_sites: linkage names */
    struct lanescope_detail *details;   /* n_sites; NULL: an older compiler wrote the table */
    const struct ls_site_lead *leads;   /* in order of leader and follower */
    uint32_t *first_lead;               /* n_sites + 1: where a site's own begin; NULL: there are none */
    struct ls_module_part *parts;       /* in order of sites */
    uint32_t n_parts;
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
/* A module's sites as handlers and reports see them. */
const struct lanescope_site *ls_sites_told(const struct ls_module *m);
/* Whether site `i` is memory of one lane alone: scratch, or what code generation keeps elsewhere or reaches by flat pointers. */
static inline bool ls_site_is_private(const struct ls_module *m, uint32_t i)
{
    return m->sites[i].space == 5 || m->raw[i].reason == LS_REASON_PRIVATE;
}
void ls_sites_free(struct ls_module *modules, size_t n);

#endif
