/*
 * sg-run.c - runs one kernel of a code object file on the software GPU, without ROCr.
 *
 *   sg-run -a gfx942 -g 1024 -w 256 saxpy.co saxpy buf:4096=in.bin buf:4096@out.bin f32:2.5 i32:1024
 *
 * Arguments in the order of the kernel: i32:N u64:N f32:X f64:X, or buf:BYTES[=FILE][@FILE], a buffer that is
 * filled from the first file and written to the second one afterwards.
 */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "../loader.h"
#include "lanescope/output.h"

enum { MAX_ARGUMENTS = 64, KERNARG_BYTES = 4096 };

struct buffer {
    void *data;
    size_t bytes;
    const char *output;
};

struct options {
    const char *arch, *log;
    unsigned threads;
    bool list, poison, shuffle, statistics;
    uint64_t seed, weak; /* weak: its seed; 0: strong */
    unsigned check;
    uint32_t grid[3];
    uint16_t workgroup[3];
    uint32_t lds;
    const char *positional[MAX_ARGUMENTS];
    unsigned n_positional;
};

struct kernargs {
    uint8_t bytes[KERNARG_BYTES];
    size_t used;
    struct buffer buffers[MAX_ARGUMENTS];
    unsigned n_buffers;
};

static const struct argp_option option_table[] = {
    {"arch", 'a', "NAME", 0, "the GPU, as `lanescope list gpus` names it", 0},
    {"grid", 'g', "X[,Y[,Z]]", 0, "work-items", 0},
    {"workgroup", 'w', "X[,Y[,Z]]", 0, "work-items of a work-group", 0},
    {"lds", 'l', "BYTES", 0, "dynamic LDS", 0},
    {"threads", 't', "N", 0, "worker threads", 0},
    {"access-log", 'L', "FILE", 0, "write the access log", 0},
    {"poison", 'p', NULL, 0, "random register and LDS contents at start", 0},
    {"shuffle", 's', NULL, 0, "random order of wavefronts and work-groups", 0},
    {"seed", 'S', "N", 0, "seed of --poison and --shuffle", 0},
    {"check", 'c', "WHAT", 0, "races, uninit or both: print which instructions race or read unwritten LDS",
     0},
    {"weak", 'W', "SEED", 0, "weak memory", 0},
    {"statistics", 'T', NULL, 0, "print time and instruction counts to stderr", 0},
    {"list", 'k', NULL, 0, "list the kernels of the file", 0},
    {0},
};

/* A number, decimal or behind 0x, of at most `most`. */
static bool number(const char *text, uint64_t most, uint64_t *n)
{
    char *end;
    errno = 0;
    *n = strtoull(text, &end, 0);
    return isdigit((unsigned char)*text) && !*end && !errno && *n <= most;
}

static uint64_t option(struct argp_state *state, const char *name, const char *arg, uint64_t most)
{
    uint64_t n;
    if (!number(arg, most, &n))
        argp_error(state, "--%s: '%s' is no number up to %llu", name, arg, (unsigned long long)most);
    return n;
}

/* One to three numbers with commas between. */
static void triple(struct argp_state *state, const char *name, char *arg, uint64_t most, uint32_t out[3])
{
    char *rest = arg;
    for (unsigned used = 0; rest; used++) {
        const char *one = strsep(&rest, ",");
        if (used == 3)
            argp_error(state, "--%s: '%s' is one number too many", name, one);
        out[used] = (uint32_t)option(state, name, one, most);
    }
}

/* Names with commas between, as `lanescope run --check` has them. */
static unsigned checks(struct argp_state *state, char *arg)
{
    static const struct {
        const char *name;
        unsigned bit;
    } all[] = {{"races", SG_CHECK_RACES},
               {"uninit", SG_CHECK_UNINIT},
               {"global", SG_CHECK_GLOBAL},
               {"memory", SG_CHECK_WEAK}};
    unsigned bits = 0;
    for (const char *one; (one = strsep(&arg, ","));) {
        unsigned bit = 0;
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            bit |= strcmp(all[i].name, one) ? 0 : all[i].bit;
        if (!bit)
            argp_error(state, "--check: '%s' is not known; races, uninit, global and memory are", one);
        bits |= bit;
    }
    return bits;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    uint32_t t[3] = {1, 1, 1};
    switch (key) {
    case 'a':
        o->arch = arg;
        return 0;
    case 'g':
        triple(state, "grid", arg, UINT32_MAX, o->grid);
        return 0;
    case 'w':
        triple(state, "workgroup", arg, UINT16_MAX, t);
        for (unsigned i = 0; i < 3; i++)
            o->workgroup[i] = (uint16_t)t[i];
        return 0;
    case 'l':
        o->lds = (uint32_t)option(state, "lds", arg, UINT32_MAX);
        return 0;
    case 't':
        o->threads = (unsigned)option(state, "threads", arg, UINT_MAX);
        return 0;
    case 'L':
        o->log = arg;
        return 0;
    case 'p':
        o->poison = true;
        return 0;
    case 's':
        o->shuffle = true;
        return 0;
    case 'S':
        o->seed = option(state, "seed", arg, UINT64_MAX);
        return 0;
    case 'W':
        o->weak = option(state, "weak", arg, UINT64_MAX);
        return 0;
    case 'c':
        o->check = checks(state, arg);
        return 0;
    case 'T':
        o->statistics = true;
        return 0;
    case 'k':
        o->list = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->n_positional == MAX_ARGUMENTS)
            argp_error(state, "too many arguments");
        o->positional[o->n_positional++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->n_positional < (o->list ? 1 : 2))
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    option_table,
    parse,
    "FILE KERNEL [ARGUMENT...]",
    "Runs one kernel of a code object on the software GPU.\vArguments: i32:N u64:N f32:X f64:X, or "
    "buf:BYTES[=FILE][@FILE], a buffer filled from the first file and written to the second one afterwards.",
    NULL,
    NULL,
    NULL};

static bool put(struct kernargs *k, const void *value, size_t size)
{
    k->used = (k->used + size - 1) / size * size;
    if (k->used + size > sizeof k->bytes)
        return false;
    memcpy(k->bytes + k->used, value, size);
    k->used += size;
    return true;
}

static bool read_file(const char *path, void *data, size_t bytes)
{
    FILE *f = fopen(path, "rbe");
    if (!f) {
        fprintf(stderr, "sg-run: %s: %m\n", path);
        return false;
    }
    size_t n = fread(data, 1, bytes, f);
    fclose(f);
    if (n < bytes)
        fprintf(stderr, "sg-run: %s has only %zu of %zu bytes; the rest is 0\n", path, n, bytes);
    return true;
}

static bool put_buffer(struct sg_device *d, struct kernargs *k, const char *text)
{
    char size[24], input[512] = "";
    const char *end = text + strcspn(text, "=@");
    struct buffer *b = &k->buffers[k->n_buffers++];
    snprintf(size, sizeof size, "%.*s", (int)(end - text), text);
    if (!number(size, SIZE_MAX, &b->bytes)) {
        fprintf(stderr, "sg-run: buf:%s: '%s' is no number of bytes\n", text, size);
        return false;
    }
    b->output = strchr(end, '@') ? strchr(end, '@') + 1 : NULL;
    if (*end == '=')
        snprintf(input, sizeof input, "%.*s", (int)strcspn(end + 1, "@"), end + 1);
    b->data = sg_device_alloc(d, b->bytes);
    if (!b->data || (*input && !read_file(input, b->data, b->bytes)))
        return false;
    uint64_t address = (uintptr_t)b->data;
    return put(k, &address, sizeof address);
}

static bool put_argument(struct sg_device *d, struct kernargs *k, const char *text)
{
    const char *value = strchr(text, ':');
    char *end = "";
    uint64_t n = 0;
    double x = 0;
    bool ok = value && value[1], negative = ok && value[1] == '-';
    if (ok && !strncmp(text, "buf:", 4))
        return put_buffer(d, k, text + 4);
    if (ok && *text == 'f')
        x = strtod(value + 1, &end);
    else if (ok)
        ok = number(value + 1 + negative, negative ? 1ull << 31 : UINT64_MAX, &n);
    if (ok && !strncmp(text, "i32:", 4) && n <= UINT32_MAX)
        return put(k, &(uint32_t){(uint32_t)(negative ? -n : n)}, sizeof(uint32_t));
    if (ok && !strncmp(text, "u64:", 4) && !negative)
        return put(k, &n, sizeof n);
    if (ok && !strncmp(text, "f32:", 4) && !*end)
        return put(k, &(float){(float)x}, sizeof(float));
    if (ok && !strncmp(text, "f64:", 4) && !*end)
        return put(k, &x, sizeof x);
    fprintf(stderr, "sg-run: bad argument: %s\n", text);
    return false;
}

static bool write_outputs(const struct kernargs *k)
{
    bool ok = true;
    for (unsigned i = 0; i < k->n_buffers; i++) {
        const struct buffer *b = &k->buffers[i];
        if (!b->output)
            continue;
        int fd = lanescope_open_output(b->output, NULL, 0);
        FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
        bool written = f && fwrite(b->data, 1, b->bytes, f) == b->bytes;
        if (f && fclose(f))
            written = false;
        if (!written)
            fprintf(stderr, "sg-run: %s: %m\n", b->output);
        ok &= written;
    }
    return ok;
}

static void print_fault(const struct sg_fault *f)
{
    fprintf(stderr, "sg-run: the kernel stopped: %s\n", f->message);
    if (f->pc)
        fprintf(stderr, "  at 0x%llx: %s\n  work-group %u,%u,%u, wavefront %u, lane %u, address 0x%llx\n",
                (unsigned long long)f->pc, f->instruction, f->workgroup[0], f->workgroup[1], f->workgroup[2],
                f->wave, f->lane, (unsigned long long)f->va);
}

static void print_finding(void *user, const struct sg_check_report *r)
{
    static const char *const kinds[] = {
        [SG_FOUND_RACE] = "race",
        [SG_FOUND_LANES] = "lanes",
        [SG_FOUND_UNINIT] = "unwritten",
        [SG_FOUND_UNDER_WAY] = "write under way",
        [SG_FOUND_OTHER_L2] = "write in another L2",
        [SG_FOUND_STALE] = "stale L1",
        [SG_FOUND_STALE_SCALAR] = "stale scalar cache",
        [SG_FOUND_POLLED] = "polled in the L1",
    };
    const struct sg_finding *f = r->finding;
    (void)user;
    if (!f)
        return;
    fprintf(stderr, "check: %s%s, %llu times, byte %llu of work-group %llu\n", kinds[f->kind],
            f->harmless ? " (same value)" : "", (unsigned long long)f->count, (unsigned long long)f->address,
            (unsigned long long)f->group);
    fprintf(stderr, "  wavefront %u lane %u: %s\n", f->a.wave, f->a.lane, r->instruction[0]);
    if (f->b.pc)
        fprintf(stderr, "  wavefront %u lane %u: %s\n", f->b.wave, f->b.lane, r->instruction[1]);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_name(void *user, const char *name)
{
    (void)user;
    puts(name);
}

static int run(const struct options *o, struct sg_device *d)
{
    static struct kernargs k;
    char why[256];
    struct sg_fault fault;
    struct sg_object *object = sg_object_load(d, o->positional[0], why, sizeof why);
    if (!object) {
        fprintf(stderr, "sg-run: %s: %s\n", o->positional[0], why);
        return 1;
    }
    if (o->list) {
        sg_object_kernels(object, print_name, NULL);
        return 0;
    }
    for (unsigned i = 2; i < o->n_positional; i++)
        if (!put_argument(d, &k, o->positional[i]))
            return 1;
    struct sg_launch launch = {.kernel = o->positional[1],
                               .grid = {o->grid[0], o->grid[1], o->grid[2]},
                               .workgroup = {o->workgroup[0], o->workgroup[1], o->workgroup[2]},
                               .dynamic_lds = o->lds,
                               .arguments = k.bytes,
                               .argument_bytes = k.used};
    double start = seconds();
    int status = sg_object_launch(d, object, &launch, &fault);
    double elapsed = seconds() - start;
    if (status)
        print_fault(&fault);
    if (o->statistics) {
        uint64_t instructions, lanes;
        sg_engine_counters(sg_device_engine(d), &instructions, &lanes);
        fprintf(stderr,
                "%.6f s, %llu wavefront instructions, %llu lane operations, %.2f ns per instruction\n",
                elapsed, (unsigned long long)instructions, (unsigned long long)lanes,
                1e9 * elapsed / (double)(instructions ? instructions : 1));
    }
    return status || !write_outputs(&k);
}

int main(int argc, char **argv)
{
    struct options o = {.arch = ls_gpu_default()->name, .grid = {64, 1, 1}, .workgroup = {64, 1, 1}};
    const char *why;
    const struct sg_engine_ops ops = {.found = print_finding};
    argp_parse(&parser, argc, argv, 0, NULL, &o);
    struct sg_engine_config config = {.arch = ls_gpu_find_emulated(o.arch),
                                      .threads = o.threads,
                                      .access_log = o.log,
                                      .poison = o.poison,
                                      .shuffle_waves = o.shuffle,
                                      .weak = o.weak != 0,
                                      .weak_seed = o.weak,
                                      .seed = o.seed,
                                      .ops = &ops,
                                      .check = o.check};
    if (!config.arch) {
        char names[256];
        fprintf(stderr, "sg-run: unknown GPU %s: %s is expected\n", o.arch,
                ls_gpu_names(names, sizeof names, "", ", ", " or "));
        return 1;
    }
    struct sg_device *d = sg_device_create(&config, &why);
    if (!d) {
        fprintf(stderr, "sg-run: %s\n", why);
        return 1;
    }
    int status = run(&o, d);
    sg_device_destroy(d);
    return status;
}
