/*
 * source.c - text that was never in a file becomes DIRECTORY/HASH/NAME, and the compiler is told so by a
 * #line before its first line:
 *
 *     #line 1 "/home/me/.cache/lanescope/rtc/5c1f0b93aa01c2d4/saxpy.hip"
 *
 * One text has one name in all runs, so that runs can be compared. HIP 6 and newer make up "CompileSource" and six letters that
 * differ each time for programs that have none: of that name the letters are left out.
 */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/hash.h"
#include "common/names.h"

enum { NAME_LONGEST = 128 };
static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
static const char byte_order_mark[] = {'\xef', '\xbb',
                                       '\xbf'}; /* of UTF-8: the compiler takes it at a text's start only */

static void cut_random_letters(char *name)
{
    static const char made_up[] = "CompileSource";
    const size_t n = sizeof made_up - 1;
    if (!strncmp(name, made_up, n) && strlen(name) == n + 6 && strspn(name + n, letters) == 6)
        name[n] = 0;
}

/* The end of `name` as a file's name that needs no quoting in a #line. */
static void file_name(char out[NAME_LONGEST + 1], const char *name)
{
    size_t n = 0;
    for (name = ls_base_name(name); *name && n < NAME_LONGEST; name++)
        out[n++] = *name <= ' ' || strchr("\"\\\177", *name) ? '_' : *name;
    out[n] = 0;
    if (!*out || !strcmp(out, ".") || !strcmp(out, ".."))
        strcpy(out, "source");
    cut_random_letters(out);
}

/* All or nothing: others may read the file while it is written. */
static bool write_file(const char *path, const char *text, size_t size)
{
    struct stat st;
    char *temporary = NULL;
    if (!stat(path, &st) && (size_t)st.st_size == size) { /* its folder is the hash of its text */
        utimensat(AT_FDCWD, path, NULL,
                  0); /* what was not used for long is removed (cli/run/cache_limit.c) */
        return true;
    }
    if (asprintf(&temporary, "%s.%ld.%ld", path, (long)getpid(), (long)gettid()) < 0)
        return false;
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    size_t done = 0;
    while (fd >= 0 && done < size) {
        ssize_t n = write(fd, text + done, size - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    bool ok = fd >= 0 && done == size;
    ok = (fd < 0 || !close(fd)) && ok;
    ok = ok && !rename(temporary, path);
    if (!ok && fd >= 0) {
        int saved = errno;
        unlink(temporary);
        errno = saved;
    }
    free(temporary);
    return ok;
}

static bool keep(const struct comgr *c, const char *directory, int kind, comgr_object data, comgr_object out)
{
    size_t size, marked_size;
    char file[NAME_LONGEST + 1], *folder = NULL, *path = NULL, *marked = NULL;
    char *text = comgr_bytes(c, data, &size), *name = comgr_name(c, data);
    FILE *o = NULL;
    bool ok = text && name;
    if (ok) {
        file_name(file, name);
        ok = asprintf(&folder, "%s/%016" PRIx64, directory, ls_hash(LS_HASH_BEGIN, text, size)) > 0 &&
             asprintf(&path, "%s/%s", folder, file) > 0 && (!mkdir(folder, 0777) || errno == EEXIST) &&
             write_file(path, text, size) && (o = open_memstream(&marked, &marked_size));
    }
    if (ok) {
        const size_t mark =
            size >= sizeof byte_order_mark && !memcmp(text, byte_order_mark, sizeof byte_order_mark)
                ? sizeof byte_order_mark
                : 0;
        fwrite(text, 1, mark, o);
        fprintf(o, "#line 1 \"%s\"\n", path);
        fwrite(text + mark, 1, size - mark, o);
        ok = !fclose(o) && comgr_add(c, out, kind, name, marked, marked_size);
    }
    free(marked);
    free(path);
    free(folder);
    free(name);
    free(text);
    return ok;
}

static bool keep_all(const struct comgr *c, const char *directory, int kind, comgr_object in,
                     comgr_object out)
{
    size_t n = 0;
    bool ok = !c->data_count(in, kind, &n);
    for (size_t i = 0; ok && i < n; i++) {
        comgr_object data;
        ok = !c->data_at(in, kind, i, &data);
        if (ok) {
            ok = keep(c, directory, kind, data, out);
            c->release_data(data);
        }
    }
    return ok;
}

bool rtc_keep_sources(const struct comgr *c, const char *directory, comgr_object in, comgr_object out)
{
    bool ok = true;
    for (int kind = 1; ok && kind <= COMGR_LAST_KIND; kind++)
        ok = kind == COMGR_SOURCE || kind == COMGR_INCLUDE ? keep_all(c, directory, kind, in, out)
                                                           : comgr_move(c, kind, in, out);
    return ok;
}
