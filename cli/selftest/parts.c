/* parts.c - what the JSON of a self-test holds (selftest.h); it may be a file that somebody sent. */
#include "selftest.h"

#include <string.h>

const json_t *selftest_part(const json_t *file, const char *part)
{
    size_t i;
    const json_t *step, *name;
    json_array_foreach(json_object_get(file, "steps"), i,
                       step) if ((name = json_object_get(step, "part")) && json_is_string(name) &&
                                 !strcmp(json_string_value(name), part)) return step;
    return NULL;
}

size_t selftest_problems(const json_t *file)
{
    size_t i, n = 0;
    const json_t *step;
    json_array_foreach(json_object_get(file, "steps"), i, step) n +=
        json_array_size(json_object_get(step, "problems"));
    return n;
}
