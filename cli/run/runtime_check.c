/*
 * The loader is asked which libraries it would load (ld.so --list, as ldd does), and these are searched for
 * the target's name: a library that knows a target has its name in its table of ISAs, as text or inside the
 * instructions that make the text (soft-gpu/kfd/runtime.c does the same with loaded ones).
 */
#include "runtime_check.h"
#include "mapped.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- files ---- */

/* Program headers of a 64-bit ELF file; NULL for anything else. */
static const Elf64_Phdr *headers(const struct mapped *i, size_t *n)
{
    const Elf64_Ehdr *e = (const Elf64_Ehdr *)i->bytes;
    *n = 0;
    if (i->size < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
        e->e_phentsize != sizeof(Elf64_Phdr) || e->e_phoff > i->size || e->e_phoff % 8 ||
        e->e_phnum > (i->size - e->e_phoff) / sizeof(Elf64_Phdr))
        return NULL;
    *n = e->e_phnum;
    return (const Elf64_Phdr *)(i->bytes + e->e_phoff);
}

static bool inside(const struct mapped *i, const Elf64_Phdr *p)
{
    return p->p_offset <= i->size && p->p_filesz <= i->size - p->p_offset;
}

static bool knows(const char *library, const char *target)
{
    struct mapped i;
    size_t n;
    bool found = false;
    if (!map_file(library, &i))
        return true; /* not to be told */
    const Elf64_Phdr *p = headers(&i, &n);
    bool readable = p != NULL;
    for (; n && !found; n--, p++)
        if (p->p_type == PT_LOAD && p->p_flags & PF_R && !(p->p_flags & PF_W) && inside(&i, p))
            found = memmem(i.bytes + p->p_offset, p->p_filesz, target, strlen(target)) != NULL;
    unmap_file(&i);
    return found || !readable;
}

/* The loader that the program names, if it is a dynamic one. malloc'd. */
static char *loader_of(const char *program)
{
    struct mapped i;
    size_t n;
    char *loader = NULL;
    if (!map_file(program, &i))
        return NULL;
    const Elf64_Phdr *p = headers(&i, &n);
    for (; n && !loader; n--, p++)
        if (p->p_type == PT_INTERP && inside(&i, p) && p->p_filesz < PATH_MAX)
            loader = strndup((const char *)i.bytes + p->p_offset, p->p_filesz);
    unmap_file(&i);
    return loader;
}

/* ---- the loader's answer ---- */

static FILE *ask(const char *loader, const char *program, pid_t *child)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    fflush(NULL);
    *child = fork();
    if (!*child) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(null, 0);
        dup2(ends[1], 1);
        dup2(null, 2);
        execl(loader, loader, "--list", program, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *in = *child > 0 ? fdopen(ends[0], "r") : NULL;
    if (!in)
        close(ends[0]);
    return in;
}

/* The path in "\tlibhsa-runtime64.so.1 => /lib/.../libhsa-runtime64.so.1 (0x...)" of ROCr and HIP;
 * else NULL. */
static char *runtime_in(char *line)
{
    static const char *const names[] = {"libhsa-runtime64.so", "libamdhip64.so"};
    char *name = line + strspn(line, " \t"), *arrow = strstr(line, " => /"), *end = strstr(line, " (0x");
    for (size_t i = 0; arrow && end && i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i]))) {
            *end = 0;
            return arrow + 4;
        }
    return NULL;
}

char *runtime_without(const char *program, const char *target)
{
    pid_t child = 0;
    size_t room = 0;
    char *loader = loader_of(program), *line = NULL, *found = NULL;
    FILE *in = loader && !access(loader, X_OK) ? ask(loader, program, &child) : NULL;
    while (in && getline(&line, &room, in) > 0) {
        char *path = runtime_in(line);
        if (path && !found && !knows(path, target))
            found = realpath(path, NULL);
    }
    if (in)
        fclose(in);
    if (child > 0)
        waitpid(child, NULL, 0);
    free(line);
    free(loader);
    return found;
}
