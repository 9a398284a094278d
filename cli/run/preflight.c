#include "preflight.h"
#include "common/names.h"
#include "cli/common/cli.h"
#include "results/file/error_text.h"
#include "lanescope/defaults.h"
#include "lanescope/output.h"
#include "cli/common/modules.h"
#include "cli/common/paths.h"
#include "results/file/place.h"
#include "runtime_check.h"
#include "results/file/schema.h"
#include "settings/parse.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- handlers ---- */

/* Names without a slash are modules of the installation; paths must exist. */
static int check_handler(const struct effective *e, const char *spec, const char *options)
{
    char *path = strchr(spec, '/') ? strdup(spec) : ls_text("%s/handlers/%s.so", piece_directory(), spec);
    char *where = setting_origin(e, SET_HANDLERS), *problem = NULL;
    int rc = EXIT_USAGE;
    if (!*spec)
        message("--handlers: an empty name in '%s'; separate names by single commas", e->value[SET_HANDLERS]);
    else if (!path || access(path, R_OK))
        message("%s: no handler '%s' (%s: %s); `lanescope list handlers` shows them", where, spec, path,
                strerror(errno));
    else if ((problem = module_problem(path, options, setting_true(e, SET_SUMMARY_MODE))))
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
        char *options = spec + strcspn(spec, ":");
        if (*options)
            *options++ = 0;
        rc = check_handler(e, spec, options);
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
    struct ls_gpu_choice c;
    char *library = ls_parse_gpu(gpu, &c) && c.gpu ? runtime_without(program, c.gpu->name) : NULL;
    if (library)
        message("--gpu %s: the program loads %s, which does not know %s; use --gpu soft:%s or a newer ROCm",
                gpu, library, c.gpu->name, ls_gpu_default()->name);
    int rc = library ? EXIT_USAGE : 0;
    free(library);
    return rc;
}

/* What `auto` emulates here; NULL: the machine has a GPU of its own. */
static const char *auto_gpu(void)
{
    return has_kfd() ? NULL : ls_gpu_default()->name;
}

void choose_gpu(const struct effective *e, char *gpu, size_t size)
{
    const char *wanted = e->value[SET_GPU], *emulated = auto_gpu();
    if (strcmp(wanted, "auto")) {
        snprintf(gpu, size, "%s", wanted);
    } else if (!emulated) {
        snprintf(gpu, size, "hw");
    } else {
        message("no /dev/kfd: running on the software GPU (%s; --gpu chooses another)", emulated);
        snprintf(gpu, size, "soft:%s", emulated);
    }
}

const char *emulated_gpu(void)
{
    char *wanted = setting_alone(SET_GPU);
    struct ls_gpu_choice c = {.kind = LS_GPU_AUTO};
    bool known = !wanted || !*wanted || ls_parse_gpu(wanted, &c);
    free(wanted);
    if (known && c.kind == LS_GPU_AUTO)
        return auto_gpu();
    return known && c.kind == LS_GPU_SOFTWARE ? c.gpu->name : NULL;
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

/* Nothing stands there, or lstat says why it cannot be told (in errno): whether a file can be made. */
static int check_folder_of_log(const char *path)
{
    const char *name = ls_base_name(path);
    const int why = errno;
    char *folder = name == path ? strdup(".") : ls_text("%.*s", (int)(name - path), path);
    bool ok = why == ENOENT && folder && *name && !access(folder, W_OK | X_OK);
    if (!ok)
        message("--access-log: %s: %s; give a file in a folder that can be written", path,
                !*name ? "names no file" : strerror(why == ENOENT ? errno : why));
    free(folder);
    return ok ? 0 : EXIT_USAGE;
}

static int check_access_log(const struct effective *e)
{
    const char *path = e->value[SET_ACCESS_LOG];
    struct stat st;
    if (strchr(path, '%') || lanescope_is_system_name(path))
        return 0;
    if (lstat(path, &st))
        return check_folder_of_log(path);
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

/* SQLite's bound of a whole path, and the file system's of a name, of the longest file that stands there. A
 * placeholder that is not known yet is taken for as long as what stands for it. */
static int check_length(const char *output)
{
    enum { SQLITE_PATH = 512 };
    static const char longest[] = LS_PARTIAL_SUFFIX "-journal";
    const char *name = ls_base_name(output);
    if (strlen(output) + sizeof longest <= SQLITE_PATH && strlen(name) + sizeof longest <= NAME_MAX + 1)
        return 0;
    message(
        "%s: the name is too long for a database; give a shorter one with -o, or another directory with -d",
        output);
    return EXIT_USAGE;
}

int check_outputs(const struct effective *e, const char *output)
{
    if (check_length(output))
        return EXIT_USAGE;
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
