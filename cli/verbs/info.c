/* lanescope info */
#include "cli/common/cli.h"
#include "cli/common/modules.h"
#include "cli/common/paths.h"
#include "gpus/gpus.h"

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

static void line(const char *what, const char *value)
{
    printf("%-18s %s\n", what, value);
}

static void show_piece(const char *what, const char *name)
{
    char *path = piece_path(name);
    char text[PATH_MAX + 64];
    snprintf(text, sizeof(text), "%s%s", path ? path : name, piece_exists(name) ? "" : " (missing)");
    line(what, text);
    free(path);
}

static void show_plugins(void)
{
    char text[256] = "";
    glob_t g = {0};
    char *pattern = piece_path("liblanescope-pass-*.so");
    if (pattern && !glob(pattern, 0, NULL, &g))
        for (size_t i = 0; i < g.gl_pathc; i++) {
            const char *number = strrchr(g.gl_pathv[i], '-') + 1;
            size_t at = strlen(text);
            snprintf(text + at, sizeof(text) - at, "%sLLVM %.*s", at ? ", " : "", (int)strcspn(number, "."),
                     number);
        }
    line("compiler plugins", *text ? text : "none (lanescope hipcc cannot instrument)");
    globfree(&g);
    free(pattern);
}

/* The file that a library name leads to, as the program's loader would find it. */
static void show_library(const char *what, const char *const *names)
{
    for (; *names; names++) {
        struct link_map *map;
        void *library = dlopen(*names, RTLD_LAZY | RTLD_LOCAL);
        if (!library)
            continue;
        char real[PATH_MAX];
        if (dlinfo(library, RTLD_DI_LINKMAP, &map) || !realpath(map->l_name, real))
            snprintf(real, sizeof(real), "%s", *names);
        line(what, real);
        return; /* left open: the runtime does not like to be unloaded */
    }
    line(what, "not found");
}

static void show_handlers(void)
{
    char text[1024] = "";
    size_t n;
    struct module *m = list_modules(&n);
    for (size_t i = 0; i < n; i++) {
        size_t at = strlen(text);
        snprintf(text + at, sizeof(text) - at, "%s%s%s", at ? ", " : "", m[i].file,
                 m[i].problem ? " (unusable)" : "");
    }
    line("handlers", *text ? text : "none");
    free_modules(m, n);
}

static void show_gpu(void)
{
    line("/dev/kfd", !has_kfd()                        ? "none"
                     : access("/dev/kfd", R_OK | W_OK) ? "there, but not accessible (group render?)"
                                                       : "there");
    char software[64];
    snprintf(software, sizeof(software), "the software GPU (%s)", ls_gpu_default()->name);
    line("run --gpu auto", has_kfd()                      ? "the hardware"
                           : piece_exists(PIECE_SOFT_GPU) ? software
                                                          : "fails: no GPU and no software GPU");
}

int verb_info(int argc, char **argv)
{
    static const char *const hsa[] = {"libhsa-runtime64.so.1", "libhsa-runtime64.so",
                                      "/opt/rocm/lib/libhsa-runtime64.so.1", NULL};
    static const char *const hip[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                      "/opt/rocm/lib/libamdhip64.so", NULL};
    static const struct argp info_argp = {
        NULL, NULL, NULL, "Shows what is installed, and which GPU `run` would use.", NULL, NULL, NULL};
    if (argp_parse(&info_argp, argc, argv, 0, NULL, NULL))
        return EXIT_USAGE;
    line("lanescope", LANESCOPE_VERSION);
    line("pieces in", piece_directory());
    show_plugins();
#ifdef LANESCOPE_HAS_COMPILE
    line("compiler wrapper", "there");
#else
    line("compiler wrapper", "not built");
#endif
    show_piece("tool library", PIECE_TOOL);
    show_piece("preloaded library", PIECE_PRELOAD);
    show_piece("software GPU", PIECE_SOFT_GPU);
    show_handlers();
    show_library("ROCr", hsa);
    show_library("HIP", hip);
    show_gpu();
    line("SQLite", sqlite3_libversion());
    line("Jansson", JANSSON_VERSION);
    return close_output(stdout, NULL);
}
