#include "mapped.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
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

const Elf64_Phdr *mapped_headers(const struct mapped *m, size_t *n)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)m->bytes;
    *n = 0;
    if (m->size < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
        e->e_phentsize != sizeof(Elf64_Phdr) || e->e_phoff > m->size || e->e_phoff % 8 ||
        e->e_phnum > (m->size - e->e_phoff) / sizeof(Elf64_Phdr))
        return NULL;
    *n = e->e_phnum;
    return (const Elf64_Phdr *)(m->bytes + e->e_phoff);
}

bool mapped_holds(const struct mapped *m, const Elf64_Phdr *segment)
{
    return segment->p_offset <= m->size && segment->p_filesz <= m->size - segment->p_offset;
}
