/* plan.c - plans of summary mode for sites and instructions of any kind. */
#include "fuzz.h"
#include "gpus/gpus.h"
#include "host-handlers/shared/plan.h"

#include <stdlib.h>

enum { SITES = 16, PASSES = 4 };

static uint32_t widths(void *user, uint32_t site)
{
    return ((const uint32_t *)user)[site];
}

/* Each site leads up to three of those behind it that nobody leads yet; what a reader lets through. */
static uint32_t make_leads(struct fuzz_input *in, uint32_t n, struct ls_site_lead *lead, uint32_t *first)
{
    uint32_t n_leads = 0;
    bool follows[SITES] = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint8_t which = (uint8_t)fuzz_take(in, 1);
        first[i] = n_leads;
        for (uint32_t k = i + 1; !follows[i] && k < n && k <= i + 3; k++)
            if (which >> (k - i) & 1 && !follows[k]) {
                lead[n_leads++] = (struct ls_site_lead){i, k, (int32_t)fuzz_take(in, 4)};
                follows[k] = true;
            }
    }
    first[n] = n_leads;
    return n_leads;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const archs[] = {"gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "none"};
    struct fuzz_input in = {data, size};
    const char *arch = archs[fuzz_take(&in, 1) % 6];
    uint32_t n = (uint32_t)fuzz_take(&in, 1) % SITES + 1, open_widths[SITES];
    struct lanescope_site sites[SITES] = {0};
    struct lanescope_isa isa[SITES] = {0};
    struct lanescope_pass passes[SITES][PASSES] = {0};
    for (uint32_t i = 0; i < n; i++) {
        sites[i].kind = (uint8_t)fuzz_take(&in, 1);
        sites[i].space = (uint8_t)fuzz_take(&in, 1);
        sites[i].bytes = (uint32_t)fuzz_take(&in, 4);
        sites[i].flags = (uint32_t)fuzz_take(&in, 1);
        open_widths[i] = (uint32_t)fuzz_take(&in, 4);
        isa[i] = (struct lanescope_isa){(uint8_t)fuzz_take(&in, 1),
                                        (uint8_t)(fuzz_take(&in, 1) % (PASSES + 1)), passes[i]};
        for (unsigned k = 0; k < PASSES; k++) {
            /* 1 to 16 bytes of a site that there is: the tool library made them (handler.h) */
            passes[i][k] = (struct lanescope_pass){
                (uint32_t)fuzz_take(&in, 1) % n, (uint16_t)fuzz_take(&in, 2),
                (uint8_t)(1 + fuzz_take(&in, 1) % 16), (uint8_t)(fuzz_take(&in, 1) & 1)};
        }
    }
    struct ls_plan_open open = {open_widths, widths};
    struct ls_site_lead lead[SITES];
    uint32_t first[SITES + 1];
    struct ls_plan_sites of = {.sites = sites,
                               .leads = {lead, make_leads(&in, n, lead, first) ? first : NULL}};
    size_t bytes;
    of.isa = fuzz_take(&in, 1) & 1 ? isa : NULL;
    of.open = fuzz_take(&in, 1) & 1 ? &open : NULL;
    /* those of a table that was checked: all numbers are of sites (objects/sites.c) */
    of.numbers.shared = (uint32_t)fuzz_take(&in, 1) % (n + 1);
    of.numbers.skip = (uint32_t)fuzz_take(&in, 1) % (n - of.numbers.shared + 1);
    of.numbers.n = n - of.numbers.skip;
    struct ls_plan *plan = ls_plan_make(arch, ls_gpu_lanes(arch), &of, &bytes);
    of.isa = isa;
    if (plan)
        ls_plan_missing(plan, &of);
    free(plan);
    return 0;
}
