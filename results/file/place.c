#include "place.h"
#include "access_list.h"
#include "error_text.h"
#include "schema.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads the beginning of the file; its length, 0 for an empty file, -1 for what is no file of ours to look
 * into, -2 when there is nothing. */
static ssize_t beginning(const char *path, void *out, size_t size)
{
    struct stat st;
    ssize_t n = -1;
    /* O_NONBLOCK: opening a FIFO must not wait for its other end. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno == ENOENT ? -2 : -1;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode))
        n = pread(fd, out, size, 0);
    close(fd);
    return n;
}

static enum ls_place place(ssize_t length, bool marked)
{
    if (length == -2)
        return LS_PLACE_FREE;
    return length == 0 || marked ? LS_PLACE_OURS : LS_PLACE_FOREIGN;
}

enum ls_place ls_place_of_database(const char *path)
{
    /* "Database File Format", section 1.3: the application id stands at byte 68, big-endian. */
    static const unsigned char id[] = {LS_APPLICATION_ID >> 24 & 255, LS_APPLICATION_ID >> 16 & 255,
                                       LS_APPLICATION_ID >> 8 & 255, LS_APPLICATION_ID & 255};
    unsigned char header[100] = {0};
    ssize_t n = beginning(path, header, sizeof header);
    return place(n, n == (ssize_t)sizeof header && !memcmp(header, "SQLite format 3", 16) &&
                        !memcmp(header + 68, id, sizeof id));
}

enum ls_place ls_place_of(const char *path, const void *mark, size_t n)
{
    char *found = malloc(n);
    ssize_t length = found ? beginning(path, found, n) : -1;
    enum ls_place p = place(length, length == (ssize_t)n && !memcmp(found, mark, n));
    free(found);
    return p;
}

int ls_place_create(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0)
        fchmod(fd, 0600);
    return fd;
}

char *ls_place_directory(char *name)
{
    return mkdtemp(name) && !chmod(name, 0700) ? name : NULL;
}

bool ls_place_is(int fd, const char *path)
{
    struct stat a, b;
    return !fstat(fd, &a) && !lstat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

char *ls_place_uri(const char *path, const char *query)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("file:", out);
    for (const unsigned char *s = (const unsigned char *)path; *s; s++)
        fprintf(out, isalnum(*s) || strchr("/._-", *s) ? "%c" : "%%%02x", *s);
    fprintf(out, "?%s", query);
    return fclose(out) ? NULL : text;
}

bool ls_place_beside(const char *path, const char *suffix)
{
    struct stat st;
    char *name = ls_text("%s%s", path, suffix);
    bool found = name && !lstat(name, &st) && S_ISREG(st.st_mode) && st.st_size > 0;
    free(name);
    return found;
}

static const char *const suffixes[] = {"-journal", "-wal", "-shm"};
#define N_SUFFIXES (sizeof suffixes / sizeof *suffixes)

/* What SQLite's journals begin with ("Database File Format", sections 3 and 4.1; "WAL-mode File Format", section 1.1); those that
 * it is done with begin with zeros, or are empty. */
static bool begins_as_journal(const char *name)
{
    static const unsigned char marks[][4] = {
        {0xd9, 0xd5, 0x05, 0xf9}, {0x37, 0x7f, 0x06, 0x82}, {0x37, 0x7f, 0x06, 0x83}, {0}};
    const uint32_t index = 3007000; /* of this machine's byte order */
    unsigned char found[4];
    ssize_t n = beginning(name, found, sizeof found);
    bool is = n == 0 || (n > 0 && !memcmp(found, &index, (size_t)n));
    for (size_t i = 0; n > 0 && i < sizeof marks / sizeof *marks; i++)
        is |= !memcmp(found, marks[i], (size_t)n);
    return is;
}

bool ls_place_blocked(const char *path)
{
    struct stat st;
    bool blocked = false;
    for (size_t i = 0; i < N_SUFFIXES && !blocked; i++) {
        char *name = ls_text("%s%s", path, suffixes[i]);
        blocked = name && !lstat(name, &st) && (!S_ISREG(st.st_mode) || !begins_as_journal(name));
        free(name);
    }
    return blocked;
}

static int remove_journal(const char *name)
{
    struct stat st;
    if (!lstat(name, &st) && S_ISREG(st.st_mode) && !begins_as_journal(name)) {
        errno = EEXIST;
        return -1;
    }
    return !unlink(name) || errno == ENOENT ? 0 : -1;
}

int ls_place_clear_beside(const char *path)
{
    int rc = 0;
    for (size_t i = 0; i < N_SUFFIXES && !rc; i++) {
        char *name = ls_text("%s%s", path, suffixes[i]);
        rc = name ? remove_journal(name) : -1;
        free(name);
    }
    return rc;
}

/* Where the groups differ, members of each may be among the others of the other one: then what all may is for them. */
static mode_t for_group(mode_t m, gid_t of, gid_t group)
{
    return of == group || (m & 0044) == 0044 ? m : m & ~(mode_t)0044;
}

mode_t ls_place_readers(const char *path, gid_t group)
{
    struct stat st;
    return stat(path, &st) ? 0
                           : for_group(ls_access_list_promises(path, st.st_mode & 0444), st.st_gid, group);
}

int ls_place_open_to(int fd, mode_t mode)
{
    return ((mode & 0044) != 0044 && ls_access_list_remove(fd)) || fchmod(fd, mode) ? -1 : 0;
}

/* Whether the folder is on the way to `path`, too; both without links. */
static bool leads_to(const char *folder, const char *path)
{
    size_t n = strlen(folder);
    return !strncmp(folder, path, n) && path[n] == '/';
}

mode_t ls_place_reachable(const char *path, const char *beside, gid_t group)
{
    char *way = realpath(path, NULL), *other = realpath(beside, NULL), *slash;
    mode_t m = way ? 0444 : 0400;
    while (way && (slash = strrchr(way, '/')) && slash > way) {
        struct stat st;
        *slash = 0;
        if (other && leads_to(way, other))
            break;
        m &= stat(way, &st)
                 ? 0400
                 : 0400 | for_group((ls_access_list_promises(way, st.st_mode) & 0111) << 2, st.st_gid, group);
    }
    free(way);
    free(other);
    return m;
}
