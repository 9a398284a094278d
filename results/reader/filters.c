/* filters.c - see filters.h. */
#include "filters.h"
#include "results/file/error_text.h"

#include <jansson.h>
#include <stdlib.h>

char *ls_filters_text(const char *options)
{
    json_t *o = options ? json_loads(options, 0, NULL) : NULL;
    const char *blocks = json_string_value(json_object_get(o, "blocks"));
    const char *sample = json_string_value(json_object_get(o, "sample_waves"));
    long n = sample ? strtol(sample, NULL, 10) : 1;
    char *text = NULL;
    if (n > 1 && blocks && *blocks)
        text = ls_text("only 1 of %ld wavefronts of the work-groups %s reported (--sample-waves, --blocks)",
                       n, blocks);
    else if (n > 1)
        text = ls_text("only 1 of %ld wavefronts reported (--sample-waves)", n);
    else if (blocks && *blocks)
        text = ls_text("only the work-groups %s reported (--blocks)", blocks);
    json_decref(o);
    return text;
}
