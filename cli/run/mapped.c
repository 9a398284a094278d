#include "mapped.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool map_file(const char *path, struct mapped *m)
{
    struct stat st;
    void *at = MAP_FAILED;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
        at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    *m = (struct mapped){at, at == MAP_FAILED ? 0 : (size_t)st.st_size};
    return at != MAP_FAILED;
}

void unmap_file(struct mapped *m)
{
    munmap((void *)(uintptr_t)m->bytes, m->size);
}
