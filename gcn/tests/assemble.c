/* assemble.c - see assemble.h. */
#include "assemble.h"

#include <elf.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct text {
    const char *arch;
    char *text;
    struct code code;
    struct text *next;
};
static struct text *known;

/* The instructions of a relocatable object: its one executable section that is not empty. */
static struct code code_of(const char *path)
{
    struct code c = {0};
    static uint8_t object[1 << 20];
    FILE *f = fopen(path, "rb");
    const size_t size = f ? fread(object, 1, sizeof object, f) : 0;
    if (f)
        fclose(f);
    Elf64_Ehdr head;
    if (size < sizeof head)
        return c;
    memcpy(&head, object, sizeof head);
    for (unsigned i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr s;
        memcpy(&s, object + head.e_shoff + i * sizeof s, sizeof s);
        if (!(s.sh_flags & SHF_EXECINSTR) || !s.sh_size)
            continue;
        c.words = malloc(s.sh_size);
        c.n = s.sh_size / 4;
        memcpy(c.words, object + s.sh_offset, s.sh_size);
    }
    return c;
}

static struct code run_assembler(const char *arch, const char *text)
{
    char path[] = "/tmp/lanescope-assemble-XXXXXX", command[512];
    const int fd = mkstemp(path);
    snprintf(command, sizeof command, "%s -triple=amdgcn-amd-amdhsa -mcpu=%s -filetype=obj -o %s -", LLVM_MC,
             arch, path);
    FILE *f = fd < 0 ? NULL : popen(command, "w");
    if (f)
        fputs(text, f);
    const struct code c = f && !pclose(f) ? code_of(path) : (struct code){0};
    if (fd >= 0) {
        close(fd);
        unlink(path);
    }
    return c;
}

const struct code *assemble(const char *arch, const char *text)
{
    for (struct text *t = known; t; t = t->next)
        if (!strcmp(t->arch, arch) && !strcmp(t->text, text))
            return &t->code;
    struct text *t = calloc(1, sizeof *t);
    *t = (struct text){arch, strdup(text), run_assembler(arch, text), known};
    if (!t->code.n)
        fail_msg("not assembled for %s: %s", arch, text);
    known = t;
    return &t->code;
}

const struct code *assemble_format(const char *arch, const char *format, va_list arguments)
{
    char text[4096];
    vsnprintf(text, sizeof text, format, arguments);
    return assemble(arch, text);
}

const char *registers(const char *file, unsigned first, unsigned count)
{
    static char text[8][24];
    static unsigned next;
    char *out = text[next++ % 8];
    if (count == 1)
        snprintf(out, sizeof text[0], "%s%u", file, first);
    else
        snprintf(out, sizeof text[0], "%s[%u:%u]", file, first, first + count - 1);
    return out;
}
