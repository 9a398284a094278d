#include "journal.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

/* Where the first page tells how often the database was changed. */
enum { CHANGES = 24 };

static uint32_t be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool read_at(int fd, void *out, size_t n, off_t at)
{
    return pread(fd, out, n, at) == (ssize_t)n;
}

static bool names_a_file(int fd, off_t size)
{
    unsigned char tail[sizeof magic];
    return size >= 16 &&
           (!read_at(fd, tail, sizeof tail, size - (off_t)sizeof tail) || !memcmp(tail, magic, sizeof tail));
}

/* The header of a segment: the size of what is around records, and their number. */
struct segment {
    uint32_t records, sector, page;
};

static bool read_segment(int fd, off_t at, struct segment *s)
{
    unsigned char h[28];
    if (!read_at(fd, h, sizeof h, at) || memcmp(h, magic, sizeof magic))
        return false;
    *s = (struct segment){be32(h + 8), be32(h + 20), be32(h + 24)};
    return s->sector >= 32 && s->sector <= 65536 && s->page >= 512 && s->page <= 65536;
}

/* Finds the first page among the saved ones: what it said of the number of changes. */
static bool saved_changes(int fd, off_t size, uint32_t *changes)
{
    struct segment s;
    for (off_t at = 0; read_segment(fd, at, &s);) {
        unsigned char bytes[4];
        off_t record = at + s.sector;
        /* All ones: as many as there are. */
        for (uint32_t i = 0; (i < s.records || s.records == UINT32_MAX) && record + 8 + s.page <= size; i++) {
            if (!read_at(fd, bytes, 4, record) || !be32(bytes))
                return false; /* there is no page 0: SQLite ends there, and holes have no end */
            if (be32(bytes) == 1 && read_at(fd, bytes, 4, record + 4 + CHANGES)) {
                *changes = be32(bytes);
                return true;
            }
            record += 8 + (off_t)s.page;
        }
        at = (record + s.sector - 1) / s.sector * s.sector;
    }
    return false;
}

/* A commit that was cut short has counted itself in the file, or not yet. */
static bool foreign(int fd, off_t size, int database)
{
    unsigned char now[4];
    uint32_t saved;
    if (!saved_changes(fd, size, &saved) || !read_at(database, now, 4, CHANGES))
        return false;
    return be32(now) != saved && be32(now) != saved + 1;
}

enum ls_journal ls_journal_judge(const char *journal, const char *database)
{
    int fd = open(journal, O_RDONLY | O_CLOEXEC), of = open(database, O_RDONLY | O_CLOEXEC);
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
    enum ls_journal result = size < 0 || of < 0       ? LS_JOURNAL_UNREADABLE
                             : names_a_file(fd, size) ? LS_JOURNAL_NAMES_A_FILE
                             : foreign(fd, size, of)  ? LS_JOURNAL_FOREIGN
                                                      : LS_JOURNAL_FITS;
    if (fd >= 0)
        close(fd);
    if (of >= 0)
        close(of);
    return result;
}
