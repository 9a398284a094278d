/* title.c - see title.h. */
#include "title.h"
#include "common/names.h"
#include "lanescope/sites.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Where compilers, ROCm and distributions put headers of theirs, unless somebody chose other folders. */
static bool in_usual_place(const char *path)
{
    static const char *const folders[] = {"/usr/include", "/usr/lib", "/usr/lib64", "/usr/local/include",
                                          "/usr/share/include"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        if (ls_below_folder(path, folders[i]))
            return true;
    /* /opt/rocm/include, /opt/rocm-6.2.0/lib/llvm/... */
    if (!strncmp(path, "/opt/rocm", 9)) {
        const char *rest = strchr(path + 5, '/');
        return rest && (!strncmp(rest, "/include/", 9) || !strncmp(rest, "/lib", 4) ||
                        !strncmp(rest, "/llvm/", 6) || !strncmp(rest, "/hip/include/", 13));
    }
    /* The resource folder of a clang anywhere: .../lib/clang/17/include/... */
    const char *clang = strstr(path, "/lib/clang/");
    return clang && isdigit((unsigned char)clang[11]) && strstr(clang, "/include/");
}

static bool below_any(const char *path, char *const *folders, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ls_below_folder(path, folders[i]))
            return true;
    return false;
}

/* The line table may name a file as the compiler was given it, the site table by its whole path: the same
 * file, if its end is. */
static const struct ls_r_file *whole_named(const struct ls_results *r, const struct ls_r_file *file)
{
    size_t n = strlen(file->path);
    for (size_t i = 0; file->origin == LS_FILE_UNKNOWN && *file->path && *file->path != '/' && i < r->n_files;
         i++) {
        const struct ls_r_file *other = &r->files[i];
        size_t m = strlen(other->path);
        if (other->origin != LS_FILE_UNKNOWN && m > n && other->path[m - n - 1] == '/' &&
            !strcmp(other->path + m - n, file->path))
            return other;
    }
    return file;
}

bool ls_is_library(const struct ls_profile *p, const struct ls_results *r, const struct ls_r_file *file)
{
    char plain[LS_FOLDERS_PATH_MAX];
    file = whole_named(r, file);
    if (below_any(file->path, p->libraries, p->n_libraries))
        return true;
    if (file->origin != LS_FILE_UNKNOWN)
        return file->origin == LS_FILE_SYSTEM;
    if (strlen(file->path) >= sizeof plain)
        return in_usual_place(file->path);
    ls_plain_path(file->path, true, plain);
    return in_usual_place(plain);
}

const struct ls_r_file *ls_frame_file(const struct ls_results *r, const struct ls_r_frame *f)
{
    return ls_results_file(r, f->file);
}

const struct ls_r_frame *ls_frame_parent(const struct ls_results *r, const struct ls_r_frame *f)
{
    return f->parent < f->id ? ls_results_frame(r, f->parent) : NULL;
}

const struct ls_r_frame *ls_title_frame(const struct ls_profile *p, const struct ls_results *r,
                                        const struct ls_r_frame *innermost, size_t *depth)
{
    const struct ls_r_frame *any = NULL;
    size_t n = 0;
    *depth = 0;
    for (const struct ls_r_frame *f = innermost; f; f = ls_frame_parent(r, f), n++) {
        const struct ls_r_file *file = ls_frame_file(r, f);
        if (!f->line || !file || !*file->path)
            continue;
        if (!ls_is_library(p, r, file)) {
            *depth = n;
            return f;
        }
        if (!any) {
            any = f;
            *depth = n;
        }
    }
    return any ? any : innermost;
}

static void keep_folder(struct ls_profile *p, const char *folder)
{
    *LS_PUSH(p->libraries, p->n_libraries) = (char *)ls_arena_string(&p->arena, folder);
}

void ls_profile_add_library(struct ls_profile *p, const char *folder)
{
    char *whole = *folder ? realpath(folder, NULL) : NULL;
    if (*folder)
        keep_folder(p, folder);
    if (whole && strcmp(whole, folder)) /* relative, or reached through a link */
        keep_folder(p, whole);
    free(whole);
}
