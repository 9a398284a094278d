#include "run_files.h"
#include "common/vector.h"
#include "error_text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void ls_run_files_tell(const char *database)
{
    const char *directory = getenv("LANESCOPE_RUN_DIRECTORY");
    int fd = -1;
    errno = EEXIST;
    for (int i = 0; directory && *directory && fd < 0 && errno == EEXIST && i < 1000; i++) {
        char *name = ls_text("%s/%d-%d", directory, (int)getpid(), i);
        fd = name ? open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
        free(name);
    }
    if (fd < 0)
        return;
    if (write(fd, database, strlen(database)) < 0)
        errno = 0; /* the summary will not show this database */
    close(fd);
}

/* The whole file as text; NULL for what is none of ours. malloc'd. */
static char *read_name(int directory, const char *name)
{
    struct stat st;
    char *text = NULL;
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && (text = calloc(1, PATH_MAX + 1)) &&
        read(fd, text, PATH_MAX) <= 0) {
        free(text);
        text = NULL;
    }
    if (fd >= 0)
        close(fd);
    return text;
}

struct ls_run_file *ls_run_files_read(const char *directory, size_t *n)
{
    DIR *d = opendir(directory);
    struct ls_run_file *names = NULL;
    *n = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        char *text = e->d_name[0] == '.' ? NULL : read_name(dirfd(d), e->d_name);
        if (text && LS_ROOM(names, *n))
            names[(*n)++] = (struct ls_run_file){text, atoi(e->d_name)};
        else
            free(text);
    }
    if (d)
        closedir(d);
    return names;
}

void ls_run_files_remove(const char *directory)
{
    DIR *d = opendir(directory);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.')
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(directory);
}
