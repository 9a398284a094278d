#include "privileges.h"
#include "cli/common/cli.h"
#include "lanescope/defaults.h"

#include <endian.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Whether the file itself gives rights at all, where it is and to us. */
static bool are_ignored(const char *path)
{
    struct statvfs fs;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || (!statvfs(path, &fs) && fs.f_flag & ST_NOSUID);
}

/* capabilities(7): root has all of them anyhow. */
static bool has_capabilities(const char *path)
{
    struct vfs_ns_cap_data data = {0};
    ssize_t n = getuid() ? getxattr(path, "security.capability", &data, sizeof(data)) : -1;
    uint32_t all = le32toh(data.magic_etc) & VFS_CAP_FLAGS_EFFECTIVE;
    for (size_t i = 0; i < VFS_CAP_U32; i++)
        all |= data.data[i].permitted;
    return n >= (ssize_t)XATTR_CAPS_SZ_1 && all;
}

static const char *rights_of(const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return NULL;
    if (are_ignored(path))
        return NULL;
    if (st.st_mode & S_ISUID && st.st_uid != getuid())
        return "its set-user-ID bit";
    if ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getgid())
        return "its set-group-ID bit";
    return has_capabilities(path) ? "its file capabilities" : NULL;
}

/* The file that a script's first line names; malloc'd. NULL: it is no script. */
static char *interpreter(const char *path)
{
    char head[256] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? read(fd, head, sizeof(head) - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (n < 2 || memcmp(head, "#!", 2))
        return NULL;
    const char *name = head + 2 + strspn(head + 2, " \t");
    return strndup(name, strcspn(name, " \t\n"));
}

/* What gives the program, or the interpreter that its first line names, more rights; static text. *holder: which file has it, malloc'd.
 * NULL: nothing does. */
static const char *privileges_of(const char *program, char **holder)
{
    enum { DEEPEST = 5 }; /* as Linux follows them */
    char *path = strdup(program), *next;
    for (int i = 0; path && i < DEEPEST && (next = interpreter(path)); i++) {
        free(path);
        path = next;
    }
    const char *why = path ? rights_of(path) : NULL;
    *holder = why ? path : NULL;
    if (!why)
        free(path);
    return why;
}

/* The software GPU is a preloaded library. The tool library is not: the runtime loads that by itself. */
int check_privileges(const struct effective *e, const char *gpu, const char *program)
{
    char *holder;
    const char *why = privileges_of(program, &holder);
    if (!why)
        return 0;
    const bool soft = ls_is_software_gpu(gpu);
    message("%s: %s keep%s preloaded libraries out of it, so that %s; run a copy without", holder, why,
            why[strlen(why) - 1] == 's' ? "" : "s",
            soft ? "it finds no software GPU and nothing can be observed"
                 : "markers, kernels compiled at run time, and what precedes a sudden end may be missing");
    free(holder);
    return soft && !setting_true(e, SET_KEEP_GOING) ? EXIT_USAGE : 0;
}
