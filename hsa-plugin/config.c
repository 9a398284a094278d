/* config.c - see config.h. */
#include "config.h"
#include "lanescope/defaults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "settings/table.h"

static char *copy(enum setting_id id)
{
    const char *v = setting_text(id);
    return *v ? strdup(v) : NULL;
}

static bool load_regex(enum setting_id id, regex_t *re, bool *has, char **error)
{
    const char *v = setting_text(id);
    char why[128], wanted[192];
    if (!*v)
        return true;
    *has = ls_parse_regex(v, re, why, sizeof why);
    if (*has)
        return true;
    snprintf(wanted, sizeof wanted, "a POSIX extended regular expression (%s)", why);
    *error = setting_error(id, v, wanted);
    return false;
}

static bool load_numbers(struct ls_config *c, char **error)
{
    uint64_t chunk, drop, summary, alone, selected, few, sample, sources, level, seconds, threads, write_back;
    if (!setting_read(SET_RING_SIZE, &c->ring_bytes, error) || !setting_read(SET_CHUNK_SIZE, &chunk, error) ||
        !setting_read(SET_ON_FULL, &drop, error) || !setting_read(SET_SUMMARY_MODE, &summary, error) ||
        !setting_read(SET_SUMMARY_FEW, &few, error) || !setting_read(SET_UNINSTRUMENTED, &alone, error) ||
        !setting_read(SET_SAMPLE_WAVES, &sample, error) || !setting_read(SET_SOURCES, &sources, error) ||
        !setting_read(SET_LOG_LEVEL, &level, error) ||
        !setting_read(SET_SELECTED_REGIONS, &selected, error) ||
        !setting_read(SET_DECODE_THREADS, &threads, error) ||
        !setting_read(SET_RING_WRITE_BACK, &write_back, error) ||
        !setting_read(SET_FINISH_TIMEOUT, &seconds, error))
        return false;
    c->chunk_shift = (uint32_t)__builtin_ctzll(chunk);
    c->drop_on_full = drop;
    c->summary = summary;
    c->summary_few = (uint32_t)few;
    c->alone = alone;
    c->selected_regions = selected;
    c->sample_waves = (uint32_t)sample;
    c->sources = (enum ls_sources)sources;
    c->log_level = (int)level;
    c->decode_threads = (uint32_t)threads;
    c->ring_write_back = write_back;
    c->finish_timeout = (uint32_t)seconds;
    return true;
}

static bool load_filters(struct ls_config *c, char **error)
{
    const char *ranges = setting_text(SET_ITERATIONS), *blocks = setting_text(SET_BLOCKS);
    if (!load_regex(SET_INCLUDE, &c->include, &c->has_include, error) ||
        !load_regex(SET_EXCLUDE, &c->exclude, &c->has_exclude, error))
        return false;
    if (*ranges && !ls_parse_ranges(ranges, &c->ranges, &c->n_ranges)) {
        *error = setting_error(SET_ITERATIONS, ranges, NULL);
        return false;
    }
    c->filter_blocks = *blocks != 0;
    if (*blocks && !ls_parse_blocks(blocks, c->block_lo, c->block_hi)) {
        *error = setting_error(SET_BLOCKS, blocks, NULL);
        return false;
    }
    return true;
}

static bool load_as(struct ls_config *c, char **error)
{
    const char *text = setting_text(SET_AS);
    if (!ls_parse_gpus(text, c->as, &c->n_as))
        *error = setting_error(SET_AS, text, NULL);
    return !*error;
}

/* Only the software GPU can tell what instructions access. */
static bool check_alone(const struct ls_config *c, char **error)
{
    if (c->alone && !ls_is_software_gpu(c->gpu))
        *error = setting_error(SET_UNINSTRUMENTED, setting_text(SET_UNINSTRUMENTED),
                               "skip, as LANESCOPE_GPU is no software GPU");
    return !*error;
}

int ls_config_load(struct ls_config *c, char **error)
{
    const char *gpu = getenv("LANESCOPE_GPU"); /* a program that `run` did not start runs where it runs */
    memset(c, 0, sizeof *c);
    *error = NULL;
    c->output = copy(SET_RECORDING);
    c->handlers = copy(SET_HANDLERS);
    c->module_dir = copy(SET_MODULE_DIR);
    c->gpu = strdup(gpu && *gpu ? gpu : "hw");
    c->argv_json = copy(SET_ARGV_JSON);
    const char *check = setting_text(SET_CHECK);
    c->originals = strstr(check, "global") || strstr(check, "memory");
    bool memory = c->output && c->handlers && c->gpu;
    if (memory && load_numbers(c, error) && load_filters(c, error) && load_as(c, error) &&
        check_alone(c, error))
        return 0;
    if (!memory)
        *error = strdup("out of memory");
    ls_config_free(c);
    return -1;
}

void ls_config_free(struct ls_config *c)
{
    if (c->has_include)
        regfree(&c->include);
    if (c->has_exclude)
        regfree(&c->exclude);
    free(c->ranges);
    free(c->output);
    free(c->handlers);
    free(c->module_dir);
    free(c->gpu);
    free(c->argv_json);
    memset(c, 0, sizeof *c);
}

bool ls_config_kernel(const struct ls_config *c, const char *demangled)
{
    if (c->originals || (c->has_include && regexec(&c->include, demangled, 0, NULL, 0) != 0))
        return false;
    return !c->has_exclude || regexec(&c->exclude, demangled, 0, NULL, 0) != 0;
}
