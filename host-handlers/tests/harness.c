/* harness.c - see harness.h. */
#include "harness.h"

const char *harness_directory = ".";

static struct harness *current; /* results carry no user pointer of ours */

__attribute__((format(printf, 3, 4))) static void take_log(const struct lanescope_host *host, int level,
                                                           const char *format, ...)
{
    struct harness *h = host->user;
    (void)format;
    h->errors += level == 0;
}

static uint32_t take_metric(const struct lanescope_host *host, const char *name, const char *unit,
                            const char *description)
{
    struct harness *h = host->user;
    assert_true(*name && *unit && *description && h->n_metrics < 64);
    h->metric[h->n_metrics++] = strdup(name);
    return h->n_metrics;
}

static int take_ratio(const struct lanescope_host *host, const struct lanescope_ratio *r)
{
    const struct harness *h = host->user;
    assert_true(r->a <= h->n_metrics && r->b <= h->n_metrics && r->c <= h->n_metrics && r->d <= h->n_metrics);
    return 0;
}

/* A view names a metric or ratio that is there. */
static int take_view(const struct lanescope_host *host, const char *name, const struct lanescope_view *v)
{
    assert_true(host && *name && v->size >= sizeof *v && v->show <= LANESCOPE_SHOW_EXPORT);
    return 0;
}

static int take_title(const struct lanescope_host *host, const char *title, const char *clean)
{
    (void)clean;
    assert_true(host && *title);
    return 0;
}

static void take_value(struct lanescope_results *r, uint32_t site, uint32_t metric, int64_t value)
{
    struct harness *h = current;
    (void)r;
    assert_true(h->n_values < HARNESS_MAX && metric && metric <= h->n_metrics);
    h->value[h->n_values].site = site;
    h->value[h->n_values].metric = metric;
    h->value[h->n_values++].value = value;
}

static void take_row(struct lanescope_results *r, const char *table, uint32_t site, const char *json)
{
    struct harness *h = current;
    (void)r;
    assert_true(h->n_rows < HARNESS_MAX);
    h->row[h->n_rows].table = strdup(table);
    h->row[h->n_rows].site = site;
    h->row[h->n_rows++].json = strdup(json);
}

int harness_open(struct harness *h, const char *spec)
{
    char *error = NULL;
    memset(h, 0, sizeof *h);
    h->host = (struct lanescope_host){.size = sizeof h->host,
                                      .abi = LANESCOPE_HANDLER_ABI,
                                      .user = h,
                                      .log = take_log,
                                      .metric = take_metric,
                                      .ratio = take_ratio,
                                      .add = take_value,
                                      .row = take_row,
                                      .view = take_view,
                                      .title = take_title};
    h->module = ls_module_open(harness_directory, spec, &error);
    if (!h->module)
        fail_msg("%s", error);
    h->handler = ls_module_handler(h->module);
    int rc = h->handler->open ? h->handler->open(&h->host, ls_module_options(h->module), &h->self) : 0;
    if (rc)
        h->handler = NULL;
    return rc;
}

void harness_begin(struct harness *h, const struct lanescope_dispatch *d)
{
    assert_int_equal(h->handler->dispatch_begin(h->self, d, &h->state), 0);
}

static void give(struct harness *h, struct lanescope_access *a, uint32_t workgroup, uint32_t wave)
{
    struct lanescope_wavefront w = {.workgroup = {workgroup, 0, 0}, .wave = wave, .lanes = 64};
    a->active = (uint8_t)__builtin_popcountll(a->exec);
    a->wave = &w;
    h->handler->accesses(h->state, a, 1);
}

void harness_strided(struct harness *h, uint32_t site, uint32_t workgroup, uint32_t wave, uint64_t exec,
                     uint64_t base, int64_t stride, uint64_t bytes)
{
    struct lanescope_access a = {.site = site,
                                 .pattern = LANESCOPE_STRIDED,
                                 .exec = exec,
                                 .base = base,
                                 .stride = stride,
                                 .length = bytes};
    a.words = (const uint32_t *)1; /* means nothing here: a handler that looks at it crashes */
    give(h, &a, workgroup, wave);
}

void harness_lanes(struct harness *h, uint32_t site, uint32_t workgroup, uint32_t wave, uint64_t exec,
                   const uint64_t addr[64], uint64_t bytes)
{
    uint32_t words[128];
    unsigned n = (unsigned)__builtin_popcountll(exec), k = 0;
    for (uint64_t m = exec; m; m &= m - 1, k++) {
        words[k] = (uint32_t)addr[__builtin_ctzll(m)];
        words[n + k] = (uint32_t)(addr[__builtin_ctzll(m)] >> 32);
    }
    struct lanescope_access a = {
        .site = site, .pattern = LANESCOPE_RAW, .exec = exec, .words = words, .length = bytes};
    give(h, &a, workgroup, wave);
}

void harness_event(struct harness *h, const struct lanescope_event *e)
{
    h->handler->events(h->state, e, 1);
}

void harness_end(struct harness *h)
{
    current = h;
    h->handler->dispatch_end(h->state, NULL);
}

void harness_close(struct harness *h)
{
    if (h->handler && h->handler->close)
        h->handler->close(h->self);
    ls_module_close(h->module);
    for (unsigned i = 0; i < h->n_metrics; i++)
        free(h->metric[i]);
    for (unsigned i = 0; i < h->n_rows; i++) {
        free(h->row[i].table);
        free(h->row[i].json);
    }
}

int64_t harness_value(const struct harness *h, uint32_t site, const char *metric)
{
    for (unsigned i = 0; i < h->n_values; i++)
        if (h->value[i].site == site && !strcmp(h->metric[h->value[i].metric - 1], metric))
            return h->value[i].value;
    return INT64_MIN;
}

const char *harness_row(const struct harness *h, const char *table, uint32_t site, unsigned n)
{
    for (unsigned i = 0; i < h->n_rows; i++)
        if (h->row[i].site == site && !strcmp(h->row[i].table, table) && !n--)
            return h->row[i].json;
    return NULL;
}
