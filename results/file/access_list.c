/* access_list.c - see access_list.h. The form of lists is Linux's, header of extended attributes for POSIX lists. */
#include "access_list.h"

#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/xattr.h>

#define NAME "system.posix_acl_access"
#define VERSION 2

enum { USER_OWNER = 1, USER = 2, GROUP_OWNER = 4, GROUP = 8, MASK = 16, OTHERS = 32 };

struct entry {
    uint16_t tag, permissions; /* little-endian, like all of the list; permissions as in a mode: 4 2 1 */
    uint32_t id;
};

struct list {
    uint32_t version;
    struct entry entries[8192]; /* 64 KiB, the most that the kernel gives */
};

static unsigned permissions(const struct entry *e)
{
    return le16toh(e->permissions) & 7;
}

/* What the mask leaves to those whom it is for; without one, all. */
static unsigned mask_of(const struct list *l, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (le16toh(l->entries[i].tag) == MASK)
            return permissions(&l->entries[i]);
    return 7;
}

/* Who is named may be in the file's group, and is of the others where a file knows no names. */
static mode_t promises(const struct list *l, size_t n, mode_t mode)
{
    const unsigned mask = mask_of(l, n);
    unsigned group = 7, others = 7;
    for (size_t i = 0; i < n; i++) {
        const unsigned has = permissions(&l->entries[i]);
        switch (le16toh(l->entries[i].tag)) {
        case USER:
        case GROUP:
        case GROUP_OWNER:
            group &= has & mask;
            others &= has & mask;
            break;
        case OTHERS:
            others &= has;
            break;
        default:
            break;
        }
    }
    return mode & (~(mode_t)077 | group << 3 | others);
}

mode_t ls_access_list_promises(const char *path, mode_t mode)
{
    struct list l;
    ssize_t size = getxattr(path, NAME, &l, sizeof l);
    if (size < 0)
        return errno == ENODATA || errno == ENOTSUP ? mode : mode & ~(mode_t)077;
    if (size < (ssize_t)sizeof l.version || le32toh(l.version) != VERSION)
        return mode & ~(mode_t)077;
    return promises(&l, ((size_t)size - sizeof l.version) / sizeof *l.entries, mode);
}

int ls_access_list_remove(int fd)
{
    return !fremovexattr(fd, NAME) || errno == ENODATA || errno == ENOTSUP ? 0 : -1;
}
