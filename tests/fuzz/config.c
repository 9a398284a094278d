/* config.c - settings: the tool library's texts, and the configuration file of `lanescope run` with
 * placeholders. The first byte chooses which. */
#include "cli/run/placeholders.h"
#include "cli/common/settings.h"
#include "hsa-plugin/config.h"
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

void message(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message(const char *format, ...)
{
    (void)format; /* what settings.c says to people */
}
void message_free(char *text);
void message_free(char *text)
{
    free(text);
}
const char *nearest(const char *word, const char *const *words, size_t n);
const char *nearest(const char *word, const char *const *words, size_t n)
{
    (void)word, (void)words, (void)n;
    return NULL;
}

static void numbers(const char *text)
{
    struct ls_range *ranges;
    size_t n;
    uint32_t lo[3], hi[3];
    uint64_t size;
    if (ls_parse_ranges(text, &ranges, &n)) {
        ls_in_ranges(ranges, n, 7);
        free(ranges);
    }
    ls_parse_blocks(text, lo, hi);
    ls_parse_size(text, &size);
}

/* Each setting's check, as option, variable and file use it. */
static void checks(const char *text)
{
    for (unsigned i = 0; i < N_SETTINGS; i++) {
        char *value = NULL;
        setting_check((enum setting_id)i, text, &value);
        free(value);
    }
}

static void variable(const char *text, unsigned which)
{
    struct ls_config c;
    char *error = NULL;
    const char *name = settings[which % N_SETTINGS].env;
    setenv(name, text, 1);
    if (ls_config_load(&c, &error))
        free(error);
    else {
        ls_config_kernel(&c, "kernel(int)");
        ls_config_free(&c);
    }
    unsetenv(name);
}

static void placeholders(const char *text)
{
    char *const argv[] = {"program", "argument", NULL};
    char *error = NULL, *out = expand_placeholders(text, argv, &error);
    free(out);
    free(error);
    free(escape_percent(text));
}

static void file(const uint8_t *data, size_t size)
{
    struct effective e;
    struct given g = {.config = fuzz_file(data, size)};
    settings_load(&e, &g);
    settings_free(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    unsigned which = (unsigned)fuzz_take(&in, 1);
    char *text = fuzz_text(in.data, in.size);
    switch (which % 5) {
    case 0:
        numbers(text);
        break;
    case 1:
        checks(text);
        break;
    case 2:
        variable(text, which / 5);
        break;
    case 3:
        placeholders(text);
        break;
    default:
        file(in.data, in.size);
    }
    free(text);
    return 0;
}
