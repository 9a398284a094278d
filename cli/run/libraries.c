/* libraries.c - the loader that a program names is asked which libraries it would load (ld.so --list, as ldd does). */
#include "libraries.h"
#include "objects/mapped.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The loader that the program names, if it is a dynamic one. malloc'd. */
static char *loader_of(const char *program)
{
    struct mapped m;
    size_t n;
    char *loader = NULL;
    if (!map_file(program, &m))
        return NULL;
    const Elf64_Phdr *p = mapped_headers(&m, &n);
    for (; n && !loader; n--, p++)
        if (p->p_type == PT_INTERP && mapped_holds(&m, p) && p->p_filesz < PATH_MAX)
            loader = strndup((const char *)m.bytes + p->p_offset, p->p_filesz);
    unmap_file(&m);
    return loader;
}

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

/* "\tlibamdhip64.so.5 => /lib/.../libamdhip64.so.5 (0x...)"; else, as for the kernel's own, nothing is called. */
static void read_line(char *line, void (*each)(void *context, const char *name, const char *path),
                      void *context)
{
    char *name = line + strspn(line, " \t"), *arrow = strstr(name, " => /"), *end = strstr(name, " (0x");
    if (!arrow || !end || end < arrow)
        return;
    *arrow = *end = 0;
    each(context, name, arrow + strlen(" => "));
}

void each_library(const char *program, void (*each)(void *context, const char *name, const char *path),
                  void *context)
{
    pid_t child = 0;
    size_t room = 0;
    char *loader = loader_of(program), *line = NULL;
    FILE *in = loader && !access(loader, X_OK) ? ask(loader, program, &child) : NULL;
    while (in && getline(&line, &room, in) > 0)
        read_line(line, each, context);
    if (in)
        fclose(in);
    if (child > 0)
        waitpid(child, NULL, 0);
    free(line);
    free(loader);
}
