/* lanescope info */
#include "cli/common/cli.h"
#include "cli/common/modules.h"
#include "cli/common/paths.h"
#include "cli/common/safe_output.h"
#include "cli/output/terminal.h"
#include "gpus/gpus.h"
#include "results/reader/arena.h"
#include "results/file/error_text.h"

#include <argp.h>
#include <dlfcn.h>
#include <glob.h>
#include <jansson.h>
#include <limits.h>
#include <link.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Pieces without which something does not work. */
static const struct piece {
    const char *file, *key, *need;
} pieces[] = {
    {PIECE_TOOL, "tool_library", "nothing can be recorded"},
    {PIECE_PRELOAD, "preloaded_library", "ROCTx ranges and kernels compiled at run time are not recorded"},
    {PIECE_SOFT_GPU, "software_gpu", "there is no software GPU"},
};
enum { PIECES = sizeof(pieces) / sizeof(*pieces) };

struct facts {
    unsigned *llvm; /* versions that have a plugin */
    size_t n_llvm;
    struct module *handlers;
    size_t n_handlers;
    char *rocr, *hip; /* as the program's loader would find them; NULL: not found */
    bool kfd, kfd_accessible;
};

/* ---- finding out ---- */

static int by_number(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void find_plugins(struct facts *f)
{
    glob_t g = {0};
    char *pattern = piece_path("liblanescope-pass-*.so");
    if (pattern && !glob(pattern, 0, NULL, &g))
        for (size_t i = 0; i < g.gl_pathc; i++)
            *LS_PUSH(f->llvm, f->n_llvm) = (unsigned)atoi(strrchr(g.gl_pathv[i], '-') + 1);
    if (f->n_llvm)
        qsort(f->llvm, f->n_llvm, sizeof(*f->llvm), by_number);
    globfree(&g);
    free(pattern);
}

/* The file that the first of these names leads to. malloc'd. */
static char *find_library(const char *const *names)
{
    for (; *names; names++) {
        struct link_map *map;
        void *library = dlopen(*names, RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            continue;
        char real[PATH_MAX];
        if (dlinfo(library, RTLD_DI_LINKMAP, &map) || !realpath(map->l_name, real))
            snprintf(real, sizeof(real), "%s", *names);
        return strdup(real); /* left open: the runtime does not like to be unloaded */
    }
    return NULL;
}

static struct facts find_facts(void)
{
    static const char *const hsa[] = {"libhsa-runtime64.so.1", "libhsa-runtime64.so",
                                      "/opt/rocm/lib/libhsa-runtime64.so.1", NULL};
    static const char *const hip[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                      "/opt/rocm/lib/libamdhip64.so", NULL};
    struct facts f = {.kfd = has_kfd(), .kfd_accessible = !access("/dev/kfd", R_OK | W_OK)};
    find_plugins(&f);
    f.handlers = list_modules(&f.n_handlers);
    f.rocr = find_library(hsa);
    f.hip = find_library(hip);
    return f;
}

static void free_facts(struct facts *f)
{
    free(f->llvm);
    free_modules(f->handlers, f->n_handlers);
    free(f->rocr);
    free(f->hip);
}

/* ---- text ---- */

static void line(const char *what, const char *value)
{
    const struct terminal t = terminal_of(stdout);
    char *text = ls_text("%-22s %s\n", what, value);
    print_broken(&t, text ? text : "", "", 23);
    free(text);
}

static void print_plugins(const struct facts *f)
{
    char *all = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&all, &size);
    if (!out)
        return;
    for (size_t i = 0; i < f->n_llvm; i++)
        fprintf(out, "%s%u", i ? ", " : "hipcc and clang of LLVM ", f->llvm[i]);
    fclose(out);
    line("compilers it serves",
         *all ? all : "none: no plugin is installed, so nothing can be compiled with probes");
    free(all);
}

static void print_handlers(const struct facts *f)
{
    char *all = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&all, &size);
    if (!out)
        return;
    for (size_t i = 0; i < f->n_handlers; i++)
        fprintf(out, "%s%s%s", i ? ", " : "", f->handlers[i].file,
                f->handlers[i].problem ? " (unusable)" : "");
    fclose(out);
    line("handlers", *all ? all : "none");
    free(all);
}

static void print_missing(void)
{
    for (size_t i = 0; i < PIECES; i++)
        if (!piece_exists(pieces[i].file)) {
            char *text = ls_text("%s, so %s", pieces[i].file, pieces[i].need);
            line("missing", text ? text : pieces[i].file);
            free(text);
        }
}

static void print_gpu(const struct facts *f)
{
    char software[64];
    line("GPU driver", !f->kfd             ? "none (no /dev/kfd)"
                       : f->kfd_accessible ? "/dev/kfd"
                                           : "/dev/kfd, but you may not use it (group render?)");
    snprintf(software, sizeof(software), "the software GPU, as %s", ls_gpu_default()->name);
    line("`lanescope run` takes", f->kfd                         ? "the GPU of this machine"
                                  : piece_exists(PIECE_SOFT_GPU) ? software
                                                                 : "nothing: no GPU and no software GPU");
}

static void print_text(const struct facts *f)
{
    line("lanescope", LANESCOPE_VERSION);
    line("installed in", piece_directory());
    print_plugins(f);
    print_handlers(f);
    print_missing();
    line("ROCr", f->rocr ? f->rocr : "not found: programs for AMD GPUs need it");
    line("HIP", f->hip ? f->hip : "not found: HIP programs need it");
    print_gpu(f);
    printf("%-22s SQLite %s, Jansson %s\n", "libraries", sqlite3_libversion(), jansson_version_str());
}

/* ---- JSON ---- */

static json_t *handlers_json(const struct facts *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->n_handlers; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "name", json_text(f->handlers[i].file), "problem",
                                              json_text_or_null(f->handlers[i].problem)));
    return list;
}

static json_t *pieces_json(void)
{
    json_t *object = json_object();
    for (size_t i = 0; i < PIECES; i++) {
        char *path = piece_path(pieces[i].file);
        json_object_set_new(object, pieces[i].key,
                            piece_exists(pieces[i].file) ? json_text_or_null(path) : json_null());
        free(path);
    }
    return object;
}

static json_t *taken(const struct facts *f)
{
    char software[64];
    snprintf(software, sizeof(software), "soft:%s", ls_gpu_default()->name);
    return f->kfd ? json_string("hw") : piece_exists(PIECE_SOFT_GPU) ? json_string(software) : json_null();
}

static json_t *info_json(const struct facts *f)
{
    json_t *root = json_root("info"), *llvm = json_array();
    for (size_t i = 0; i < f->n_llvm; i++)
        json_array_append_new(llvm, json_integer(f->llvm[i]));
    json_object_set_new(root, "directory", json_text(piece_directory()));
    json_object_set_new(root, "llvm", llvm);
    json_object_set_new(root, "handlers", handlers_json(f));
    json_object_set_new(root, "pieces", pieces_json());
    json_object_set_new(root, "rocr", json_text_or_null(f->rocr));
    json_object_set_new(root, "hip", json_text_or_null(f->hip));
    json_object_set_new(root, "kfd",
                        json_pack("{s:b, s:b}", "present", f->kfd, "accessible", f->kfd_accessible));
    json_object_set_new(root, "gpu", taken(f));
    json_object_set_new(root, "sqlite", json_string(sqlite3_libversion()));
    json_object_set_new(root, "jansson", json_string(jansson_version_str()));
    return root;
}

/* ---- the verb ---- */

enum { KEY_JSON = 0x100 };

static const struct argp_option info_options[] = {
    {"json", KEY_JSON, NULL, 0, "write JSON (schema lanescope-info/1)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key != KEY_JSON)
        return ARGP_ERR_UNKNOWN;
    *(bool *)state->input = true;
    return 0;
}

const struct argp info_argp = {
    info_options, parse, NULL, "Shows what is installed, and which GPU `run` would use.", NULL, NULL, NULL};

int verb_info(int argc, char **argv)
{
    bool json = false;
    if (argp_parse(&info_argp, argc, argv, 0, NULL, &json))
        return EXIT_USAGE;
    struct facts f = find_facts();
    if (json) {
        json_t *root = info_json(&f);
        write_json(root, stdout);
        json_decref(root);
    } else {
        print_text(&f);
    }
    free_facts(&f);
    return close_output(stdout, NULL);
}
