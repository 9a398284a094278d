/* cache_limit.c - see cache_limit.h. An entry was used when anything in it was written last; who only reads an entry marks its
 * folder (hsa-plugin/rtc). */
#include "cache_limit.h"
#include "common/vector.h"
#include "results/file/error_text.h"

#include <ftw.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_FOLDERS = 16, DIGITS = 16 };

struct entry {
    char *path;
    uint64_t bytes;
    time_t used;
};

static struct entry *counted; /* nftw has no argument for its function */

static int count(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)path;
    (void)at;
    if (type == FTW_NS)
        return 0;
    counted->bytes += (uint64_t)st->st_blocks * 512;
    counted->used = st->st_mtime > counted->used ? st->st_mtime : counted->used;
    return 0;
}

static int forget(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    remove(path);
    return 0;
}

/* Oldest first; of one age by name. */
static int by_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->used != y->used ? (x->used > y->used) - (x->used < y->used) : strcmp(x->path, y->path);
}

/* Whether the name's end is a hash, as those of our entries are. */
static bool is_ours(const char *path)
{
    size_t n = strlen(path);
    return n > DIGITS && strspn(path + n - DIGITS, "0123456789abcdef") == DIGITS;
}

/* Folders of that form, measured. */
static void collect(struct entry **all, size_t *n, const char *base, const char *form)
{
    char *pattern = ls_text("%s/%s", base, form);
    glob_t found = {0};
    if (pattern && !glob(pattern, GLOB_NOSORT, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc; i++) {
            struct stat st;
            const char *path = found.gl_pathv[i];
            if (!is_ours(path) || lstat(path, &st) || !S_ISDIR(st.st_mode) || !LS_ROOM(*all, *n))
                continue;
            counted = &(*all)[*n];
            *counted = (struct entry){.path = strdup(path)};
            if (counted->path && !nftw(path, count, OPEN_FOLDERS, FTW_PHYS))
                ++*n;
            else
                free(counted->path);
        }
    globfree(&found);
    free(pattern);
}

/* Whether a folder of that form was written since then. */
static bool used_since(const char *base, const char *form, time_t since)
{
    char *pattern = ls_text("%s/%s", base, form);
    glob_t found = {0};
    bool used = false;
    if (pattern && !glob(pattern, GLOB_NOSORT, NULL, &found))
        for (size_t i = 0; i < found.gl_pathc; i++) {
            struct stat st;
            used |= !stat(found.gl_pathv[i], &st) && st.st_mtime >= since;
        }
    globfree(&found);
    free(pattern);
    return used;
}

void cache_limit(const char *base, uint64_t most, time_t since)
{
    struct entry *all = NULL;
    size_t n = 0;
    uint64_t bytes = 0;
    if (!used_since(base, "rtc-*", since)) /* marked when a program compiles its first kernel */
        return;
    collect(&all, &n, base, "rtc/*");
    collect(&all, &n, base, "rtc-*");
    for (size_t i = 0; i < n; i++)
        bytes += all[i].bytes;
    qsort(all, n, sizeof *all, by_use);
    for (size_t i = 0; i < n && bytes > most && all[i].used < since; i++) {
        nftw(all[i].path, forget, OPEN_FOLDERS, FTW_PHYS | FTW_DEPTH);
        bytes -= all[i].bytes;
    }
    for (size_t i = 0; i < n; i++)
        free(all[i].path);
    free(all);
}
