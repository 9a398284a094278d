#include "preflight.h"
#include "cli.h"
#include "error_text.h"
#include "lanescope/defaults.h"
#include "modules.h"
#include "paths.h"
#include "place.h"
#include "runtime_check.h"
#include "schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- handlers ---- */

/* Names without a slash are modules of the installation; paths must exist. `spec`: without options. */
static int check_handler(const struct effective *e, const char *spec)
{
    char *path = strchr(spec, '/') ? strdup(spec) : ls_text("%s/handlers/%s.so", piece_directory(), spec);
    char *where = setting_origin(e, SET_HANDLERS), *problem = NULL;
    int rc = EXIT_USAGE;
    if (!*spec)
        message("--handlers: an empty name in '%s'; separate names by single commas", e->value[SET_HANDLERS]);
    else if (!path || access(path, R_OK))
        message("%s: no handler '%s' (%s: %s); `lanescope list handlers` shows them", where, spec, path,
                strerror(errno));
    else if ((problem = module_problem(path)))
        message("%s: handler '%s' cannot be loaded: %s", where, spec, problem);
    else
        rc = 0;
    free(problem);
    free(where);
    free(path);
    return rc;
}

int check_handlers(const struct effective *e)
{
    char *copy = strdup(e->value[SET_HANDLERS]), *rest = copy, *spec;
    int rc = 0;
    while (!rc && (spec = strsep(&rest, ","))) {
        /* The same split as the tool library's: options follow the first colon. */
        spec[strcspn(spec, ":")] = 0;
        rc = check_handler(e, spec);
    }
    free(copy);
    return rc;
}

/* ---- the GPU ---- */

/* Another emulator may provide one inside the program only: hence --keep-going. */
static int check_hardware(const struct effective *e)
{
    if (has_kfd())
        return 0;
    message("--gpu hw: there is no /dev/kfd here; --gpu soft runs without a GPU");
    return setting_true(e, SET_KEEP_GOING) ? 0 : EXIT_USAGE;
}

/* gpu: "soft:gfx90a", "soft:gfx942x4". */
static int check_emulated(const char *gpu, const char *program)
{
    const char *target = strchr(gpu, ':') + 1;
    size_t length = strlen("gfx") + strcspn(target + strlen("gfx"), "x");
    char *name = strndup(target, length), *library = name ? runtime_without(program, name) : NULL;
    if (library)
        message(
            "--gpu %s: the program loads %s, which does not know %s; use --gpu soft:gfx90a or a newer ROCm",
            gpu, library, name);
    int rc = library ? EXIT_USAGE : 0;
    free(name);
    free(library);
    return rc;
}

void choose_gpu(const struct effective *e, char *gpu, size_t size)
{
    const char *wanted = e->value[SET_GPU];
    if (!strcmp(wanted, "auto")) {
        bool hw = has_kfd();
        if (!hw)
            message("no /dev/kfd: running on the software GPU (gfx90a; --gpu chooses another)");
        wanted = hw ? "hw" : "soft:gfx90a";
    }
    snprintf(gpu, size, "%s", wanted);
}

int check_gpu_is_there(const struct effective *e, const char *gpu, const char *program)
{
    return strcmp(gpu, "hw") ? check_emulated(gpu, program) : check_hardware(e);
}

/* ---- names ---- */

/* Makes room, if that is wanted. */
static int refuse_or_remove(const struct effective *e, const char *path, const char *what, const char *option)
{
    if (!setting_true(e, SET_FORCE)) {
        message("%s: %s; give another name with %s, or --force to replace it", path, what, option);
        return EXIT_USAGE;
    }
    if (!unlink(path))
        return 0;
    message("%s: cannot be replaced: %s; give another name with %s", path, strerror(errno), option);
    return EXIT_USAGE;
}

static int check_database(const struct effective *e, const char *path)
{
    if (ls_place_of_database(path) != LS_PLACE_FOREIGN)
        return 0;
    return refuse_or_remove(e, path, "exists and is no recording of Lanescope", "-o");
}

/* The output name with %h, or NULL when it has a %p, too: then it is not known yet. malloc'd. */
static char *known_name(const char *output)
{
    char *text = NULL, host[256] = "";
    size_t size;
    bool known = true;
    FILE *out = open_memstream(&text, &size);
    gethostname(host, sizeof(host) - 1);
    for (const char *s = output; out && *s; s++) {
        if (s[0] != '%' || !s[1] || !strchr("ph%", s[1])) {
            fputc(*s, out);
            continue;
        }
        s++;
        known &= *s != 'p';
        fputs(*s == 'h' ? host : "%", out);
    }
    if (out && !fclose(out) && known)
        return text;
    free(text);
    return NULL;
}

static int check_access_log(const struct effective *e)
{
    const char *path = e->value[SET_ACCESS_LOG];
    struct stat st;
    if (strchr(path, '%') || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) || lstat(path, &st))
        return 0;
    if (S_ISDIR(st.st_mode)) {
        message("--access-log: %s is a directory; give a file in it", path);
        return EXIT_USAGE;
    }
    bool linked = S_ISLNK(st.st_mode);
    if (!linked && (!S_ISREG(st.st_mode) ||
                    ls_place_of(path, LS_ACCESS_LOG_MARK, strlen(LS_ACCESS_LOG_MARK)) != LS_PLACE_FOREIGN))
        return 0;
    return refuse_or_remove(e, path, linked ? "is a symbolic link" : "exists and is no access log",
                            "--access-log");
}

int check_outputs(const struct effective *e, const char *output)
{
    char *path = known_name(output), *partial = path ? ls_text("%s" LS_PARTIAL_SUFFIX, path) : NULL;
    int rc = path ? check_database(e, path) : 0;
    if (!rc && partial)
        rc = check_database(e, partial);
    if (!rc && *e->value[SET_ACCESS_LOG])
        rc = check_access_log(e);
    free(path);
    free(partial);
    return rc;
}

char *run_directory_make(void)
{
    const char *base = getenv("TMPDIR");
    char *path = ls_text("%s/lanescope-run-XXXXXX", base && *base ? base : "/tmp");
    if (path && mkdtemp(path))
        return path;
    message("cannot create %s: %s; the summary will lack programs that are killed", path, strerror(errno));
    free(path);
    return NULL;
}
