/* value.c - the value of a setting: accepted or not, its number, its normal form (table.h). */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "parse.h"

/* What it accepts, in words; NULL: the check tells. */
static const char *accepted(enum setting_id id)
{
    switch (settings[id].type) {
    case TYPE_BOOLEAN:
        return "true or false";
    case TYPE_NAME:
        return "a name that is not empty";
    case TYPE_GPU:
        return ls_gpu_accepted();
    case TYPE_GPUS:
        return ls_gpus_accepted();
    default:
        return settings[id].accepts;
    }
}

static bool seed(const struct setting *s, const char *text, uint64_t *value)
{
    bool yes;
    if (ls_parse_number(text, value))
        return true;
    if (!ls_parse_boolean(text, &yes))
        return false;
    return ls_parse_number(yes ? s->flag_value : "0", value);
}

/* The seed; 0: strong. */
static bool memory(const char *text, uint64_t *value)
{
    *value = !strcmp(text, "weak");
    if (*value || !strcmp(text, "strong"))
        return true;
    return !strncmp(text, "weak:", 5) && ls_parse_number(text + 5, value) && *value;
}

static bool set(const struct setting *s, const char *text, uint64_t *value)
{
    bool yes;
    *value = 0;
    if (!ls_parse_boolean(text, &yes))
        return ls_parse_set(text, s->names, value);
    return !yes || ls_parse_set(s->flag_value, s->names, value);
}

static bool switched(const struct setting *s, const char *text, uint64_t *value)
{
    bool yes;
    if (ls_parse_boolean(text, &yes)) {
        *value = yes;
        return true;
    }
    if (!ls_parse_choice(text, s->names, value))
        return false;
    *value += 2;
    return true;
}

bool setting_number(enum setting_id id, const char *text, uint64_t *value)
{
    const struct setting *s = &settings[id];
    bool yes;
    switch (s->type) {
    case TYPE_BOOLEAN:
        if (!ls_parse_boolean(text, &yes))
            return false;
        *value = yes;
        return true;
    case TYPE_CHOICE:
        return ls_parse_choice(text, s->names, value);
    case TYPE_SWITCH:
        return switched(s, text, value);
    case TYPE_SET:
        return set(s, text, value);
    case TYPE_SEED:
        return seed(s, text, value);
    case TYPE_MEMORY:
        return memory(text, value);
    case TYPE_NUMBER:
        return ls_parse_number(text, value) && *value >= s->least && *value <= s->most;
    case TYPE_SIZE:
        return ls_parse_size(text, value) && *value >= s->least && *value <= s->most;
    case TYPE_POWER:
        return ls_parse_size(text, value) && *value >= s->least && *value <= s->most &&
               !(*value & (*value - 1));
    case TYPE_EVERY:
        return ls_parse_every(text, value) && *value >= s->least && *value <= s->most;
    default:
        return false;
    }
}

/* ---- what is accepted, and its normal form ---- */

static const char *check_regex(const char *text)
{
    static __thread char wanted[192];
    char why[128];
    regex_t re;
    if (ls_parse_regex(text, &re, why, sizeof why)) {
        regfree(&re);
        return NULL;
    }
    snprintf(wanted, sizeof wanted, "a POSIX extended regular expression (%s)", why);
    return wanted;
}

static bool fits(enum setting_id id, const char *text)
{
    struct ls_range *ranges = NULL;
    struct ls_gpu_choice gpu;
    const struct ls_gpu *gpus[LS_GPUS_MAX];
    uint32_t lo[3], hi[3];
    uint64_t n;
    bool ok;
    switch (settings[id].type) {
    case TYPE_TEXT:
        return true;
    case TYPE_NAME:
        return *text != 0;
    case TYPE_GPU:
        return ls_parse_gpu(text, &gpu);
    case TYPE_GPUS:
        return ls_parse_gpus(text, gpus, &(size_t){0});
    case TYPE_BLOCKS:
        return ls_parse_blocks(text, lo, hi);
    case TYPE_RANGES:
        ok = ls_parse_ranges(text, &ranges, &(size_t){0});
        free(ranges);
        return ok;
    default:
        return setting_number(id, text, &n);
    }
}

static char *number_text(uint64_t n)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    return strdup(text);
}

static char *names_text(const struct setting *s, uint64_t bits)
{
    char text[128] = "";
    for (size_t i = 0; s->names[i]; i++)
        if (bits >> i & 1) {
            strncat(text, *text ? "," : "", sizeof text - strlen(text) - 1);
            strncat(text, s->names[i], sizeof text - strlen(text) - 1);
        }
    return strdup(text);
}

static char *gpu_text(const char *text)
{
    struct ls_gpu_choice gpu;
    char normal[40];
    if (!ls_parse_gpu(text, &gpu) || gpu.kind != LS_GPU_SOFTWARE || gpu.count > 1)
        return strdup(text);
    snprintf(normal, sizeof normal, "soft:%s", gpu.gpu->name);
    return strdup(normal);
}

static char *normal_form(enum setting_id id, const char *text)
{
    uint64_t n = 0;
    switch (settings[id].type) {
    case TYPE_BOOLEAN:
    case TYPE_SWITCH:
        setting_number(id, text, &n);
        return strdup(n > 1 ? text : n ? "true" : "false");
    case TYPE_SET:
        setting_number(id, text, &n);
        return names_text(&settings[id], n);
    case TYPE_GPU:
        return gpu_text(text);
    case TYPE_MEMORY:
        return strdup(text);
    default:
        return setting_number(id, text, &n) && settings[id].type != TYPE_CHOICE ? number_text(n)
                                                                                : strdup(text);
    }
}

const char *setting_check(enum setting_id id, const char *text, char **normal)
{
    const char *wrong = NULL;
    if (!*text && settings[id].type != TYPE_NAME)
        *normal = strdup("");
    else if (settings[id].type == TYPE_REGEX)
        wrong = check_regex(text);
    else if (!fits(id, text))
        wrong = accepted(id);
    if (!wrong && *text)
        *normal = normal_form(id, text);
    return wrong;
}

/* ---- from the environment ---- */

const char *setting_text(enum setting_id id)
{
    const char *v = getenv(settings[id].env);
    return v && *v ? v : settings[id].fallback;
}

char *setting_error(enum setting_id id, const char *text, const char *why)
{
    char *error;
    if (asprintf(&error, "%s: '%s' is not accepted; give %s", settings[id].env, text,
                 why ? why : accepted(id)) < 0)
        return NULL;
    return error;
}

bool setting_read(enum setting_id id, uint64_t *value, char **error)
{
    const char *text = setting_text(id);
    *value = 0;
    if (!*text || setting_number(id, text, value))
        return true;
    *error = setting_error(id, text, NULL);
    return false;
}
