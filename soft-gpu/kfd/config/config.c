/*
 * config.c - LANESCOPE_GPU=soft[:ARCH[xCOUNT]] and the LANESCOPE_SOFT_* variables.
 */
#include "config.h"
#include "soft-gpu/kfd/report/report.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "settings/parse.h"
#include "settings/table.h"

static struct soft_config config;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool bad(enum setting_id id, const char *text, const char *wanted)
{
    char *error = setting_error(id, text, wanted);
    report_line("%s; running without the software GPU", error ? error : settings[id].env);
    free(error);
    return false;
}

static bool read_gpu(void)
{
    const char *v = getenv(settings[SET_GPU].env);
    struct ls_gpu_choice gpu;
    if (!ls_parse_gpu(v && *v ? v : "soft", &gpu) || gpu.kind != LS_GPU_SOFTWARE)
        return bad(SET_GPU, v, NULL);
    config.arch = gpu.gpu;
    config.gpus = gpu.count;
    return true;
}

static bool read_number(enum setting_id id, uint64_t *value)
{
    char *error = NULL;
    if (setting_read(id, value, &error))
        return true;
    free(error);
    return bad(id, setting_text(id), NULL);
}

static bool read_name(enum setting_id id, char *out, size_t size)
{
    return snprintf(out, size, "%s", setting_text(id)) < (int)size ||
           bad(id, setting_text(id), "a shorter name");
}

/* The process id is put in when the engine starts: a forked child has its own. */
bool soft_config_log(const struct soft_config *c, unsigned index, char *out, size_t size)
{
    size_t at = 0;
    char piece[24];
    out[0] = '\0';
    if (!c->access_log[0])
        return true;
    for (const char *t = c->access_log; *t; t++) {
        snprintf(piece, sizeof piece, "%c", *t);
        if (*t == '%' && t[1] == 'p')
            snprintf(piece, sizeof piece, "%d", (int)getpid());
        if (*t == '%' && (t[1] == 'p' || t[1] == '%'))
            t++;
        at += (size_t)snprintf(out + at, size - at, "%s", piece);
        if (at >= size)
            return false;
    }
    if (index)
        at += (size_t)snprintf(out + at, size - at, ".gpu%u", index);
    return at < size;
}

/* Bits of the setting, in the order of its names. */
static unsigned checks(uint64_t bits)
{
    static const unsigned what[] = {SG_CHECK_RACES, SG_CHECK_UNINIT, SG_CHECK_GLOBAL, SG_CHECK_WEAK};
    unsigned all = 0;
    for (unsigned i = 0; i < sizeof what / sizeof *what; i++)
        all |= bits >> i & 1 ? what[i] : 0;
    return all;
}

static bool read_all(void)
{
    uint64_t threads, poison, shuffle, interpret, check, exact, stall, stall_stop, memory, atomics;
    if (!read_gpu() || !read_number(SET_SOFT_THREADS, &threads) || !read_number(SET_SOFT_POISON, &poison) ||
        !read_number(SET_SOFT_SHUFFLE, &shuffle) || !read_number(SET_SOFT_INTERPRET, &interpret) ||
        !read_number(SET_CHECK, &check) || !read_number(SET_EXACT_MATRIX, &exact) ||
        !read_number(SET_SOFT_STALL, &stall) || !read_number(SET_SOFT_STALL_STOP, &stall_stop) ||
        !read_number(SET_SOFT_MEMORY, &memory) || !read_number(SET_SOFT_LINK_ATOMICS, &atomics) ||
        !read_name(SET_ACCESS_LOG, config.access_log, sizeof config.access_log) ||
        !read_name(SET_CHECK_DIRECTORY, config.check_directory, sizeof config.check_directory) ||
        !read_name(SET_SOFT_COUNTS, config.counts, sizeof config.counts))
        return false;
    config.threads = (unsigned)threads;
    config.poison = poison != 0;
    config.shuffle = shuffle != 0;
    config.seed = shuffle ? shuffle : poison;
    config.interpret_all = interpret;
    config.check = checks(check);
    config.exact_matrix = exact;
    config.stall_seconds = (unsigned)stall;
    config.stall_stops = stall_stop;
    config.link_atomics = atomics;
    /* What is to be found shows in weak memory only. */
    config.weak = memory || config.check & SG_CHECK_WEAK;
    config.weak_seed = memory ? memory : 1;
    return true;
}

static void load(void)
{
    config.enabled = read_all();
}

const struct soft_config *soft_config(void)
{
    pthread_once(&once, load);
    return &config;
}
