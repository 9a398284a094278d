/*
 * device_code.c - writes down the machine code of the device library for the compiler plugin, when that is built.
 *
 *     device_code OUT CPU PREFIX [CPU PREFIX]...
 *
 * PREFIX.o is the object file that llc makes of device_driver.ll after the pass "lanescope-device", with a
 * section for each function; PREFIX.s the same as text, in whose comments stand the bytes of scratch memory;
 * PREFIX.regs what -print-regusage tells. ls_pass_ready.c says what becomes of them.
 */
#include "ls_ready.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FUNCTIONS = 96, REL32_LO = 10, REL32_HI = 11 }; /* R_AMDGPU_*, LLVM's AMDGPUUsage, "Relocation" */

struct function {
    const char *name;
    unsigned section;
    const unsigned char *code;
    size_t size;
    const Elf64_Rela *references;
    size_t n_references;
    bool ready;
    int scratch;    /* bytes, with that of the functions that it calls */
    uint32_t place; /* in the cold code */
    enum { UNSEEN, BEGUN, DONE } walk;
};

struct library {
    unsigned char *object;
    char *assembly, *registers;
    const Elf64_Shdr *sections;
    const Elf64_Sym *symbols;
    struct function functions[MAX_FUNCTIONS];
    unsigned n;
    const struct function *empty;
};

static void *read_file(const char *prefix, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s", prefix, suffix);
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    if (f && !fseek(f, 0, SEEK_END)) {
        long bytes = ftell(f);
        rewind(f);
        text = bytes > 0 ? calloc(1, (size_t)bytes + 1) : NULL;
        if (text && fread(text, 1, (size_t)bytes, f) != (size_t)bytes) {
            free(text);
            text = NULL;
        }
    }
    if (f)
        fclose(f);
    if (!text)
        fprintf(stderr, "device_code: %s cannot be read\n", path);
    return text;
}

/* ---- functions of the object file ---- */

static void find_references(struct library *l, struct function *f, unsigned n_sections)
{
    for (unsigned i = 0; i < n_sections; i++)
        if (l->sections[i].sh_type == SHT_RELA && l->sections[i].sh_info == f->section) {
            f->references = (const void *)(l->object + l->sections[i].sh_offset);
            f->n_references = l->sections[i].sh_size / sizeof *f->references;
        }
}

static bool find_functions(struct library *l)
{
    const Elf64_Ehdr *header = (const void *)l->object;
    l->sections = (const void *)(l->object + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (l->sections[i].sh_type != SHT_SYMTAB)
            continue;
        l->symbols = (const void *)(l->object + l->sections[i].sh_offset);
        const char *names = (const char *)l->object + l->sections[l->sections[i].sh_link].sh_offset;
        for (size_t k = 0; k < l->sections[i].sh_size / sizeof *l->symbols; k++) {
            const Elf64_Sym *s = &l->symbols[k];
            if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || strncmp(names + s->st_name, "__ls_", 5) != 0)
                continue;
            if (l->n == MAX_FUNCTIONS || s->st_value || s->st_size % 4)
                return false;
            struct function *f = &l->functions[l->n++];
            *f = (struct function){.name = names + s->st_name,
                                   .section = s->st_shndx,
                                   .code = l->object + l->sections[s->st_shndx].sh_offset,
                                   .size = s->st_size};
            find_references(l, f, header->e_shnum);
            if (!strcmp(f->name, "__ls_empty"))
                l->empty = f;
        }
    }
    return l->empty != NULL;
}

/* The function at the beginning of the section that a relocation's symbol is in; NULL: none of ours. */
static struct function *target(struct library *l, const Elf64_Rela *r)
{
    unsigned type = ELF64_R_TYPE(r->r_info);
    const Elf64_Sym *s = &l->symbols[ELF64_R_SYM(r->r_info)];
    for (unsigned i = 0; i < l->n; i++)
        if (l->functions[i].section == s->st_shndx && !s->st_value && (type == REL32_LO || type == REL32_HI))
            return &l->functions[i];
    return NULL;
}

/* ---- which of them can be used ---- */

/* Whether the function goes on, over others, as itself. The plugin says of all of them that they do not ("norecurse"), and LLVM, which finds
 * that they do, gives no number for their scratch memory. Names those on the way on stderr. */
static bool is_in_cycle(struct library *l, struct function *f)
{
    bool found = f->walk == BEGUN;
    if (f->walk == UNSEEN) {
        f->walk = BEGUN;
        for (size_t k = 0; k < f->n_references && !found; k++) {
            struct function *to = target(l, &f->references[k]);
            found = to && is_in_cycle(l, to);
        }
        f->walk = DONE;
    }
    if (found)
        fprintf(stderr, "device_code: %s is on a way of calls that comes back to where it was\n", f->name);
    return found;
}

static bool has_cycle(struct library *l)
{
    for (unsigned i = 0; i < l->n; i++)
        if (is_in_cycle(l, &l->functions[i]))
            return true;
    return false;
}

/* "; ScratchSize: N" behind the function's label; -1: no such number is there. */
static int scratch_of(const struct library *l, const char *name)
{
    static const char wanted[] = "; ScratchSize: ";
    char label[128];
    snprintf(label, sizeof label, "\n%s:", name);
    const char *at = strstr(l->assembly, label);
    at = at ? strstr(at, wanted) : NULL;
    char *end = NULL;
    const long bytes = at ? strtol(at + sizeof wanted - 1, &end, 10) : -1;
    return end && *end == '\n' ? (int)bytes : -1; /* not "max(...)" of what is not known yet */
}

/* Behind "NAME Clobbered Registers: " at the beginning of a line; NULL: not there. */
static const char *registers_of(const struct library *l, const char *name)
{
    char label[128];
    size_t length = (size_t)snprintf(label, sizeof label, "%s Clobbered Registers: ", name);
    for (const char *at = l->registers; (at = strstr(at, label)); at++)
        if (at == l->registers || at[-1] == '\n')
            return at + length;
    return NULL;
}

static void find_ready(struct library *l)
{
    for (unsigned i = 0; i < l->n; i++) {
        struct function *f = &l->functions[i];
        f->scratch = scratch_of(l, f->name);
        f->ready = f != l->empty && f->scratch >= 0 && registers_of(l, f->name);
    }
    for (bool again = true; again;) {
        again = false;
        for (struct function *f = l->functions; f < l->functions + l->n; f++)
            for (size_t k = 0; f->ready && k < f->n_references; k++) {
                struct function *to = target(l, &f->references[k]);
                f->ready = to && to->ready;
                again |= !f->ready;
            }
    }
    uint32_t place = 0;
    for (struct function *f = l->functions; f < l->functions + l->n; f++)
        if (f->ready) {
            f->place = place;
            place += (uint32_t)f->size;
        }
}

/* ---- writing ---- */

static const Elf64_Rela *reference_at(const struct function *f, size_t at)
{
    for (size_t k = 0; k < f->n_references; k++)
        if (f->references[k].r_offset == at)
            return &f->references[k];
    return NULL;
}

static uint32_t word_at(const struct function *f, size_t at)
{
    uint32_t word;
    memcpy(&word, f->code + at, sizeof word);
    return word;
}

/* All functions one behind the other: the distances between them are known. */
static void write_cold(FILE *out, struct library *l, const char *cpu)
{
    fprintf(out, "static const uint32_t %s_cold[] = {", cpu);
    for (const struct function *f = l->functions; f < l->functions + l->n; f++)
        for (size_t at = 0; f->ready && at < f->size; at += 4) {
            const Elf64_Rela *r = reference_at(f, at);
            int64_t far = r ? (int64_t)target(l, r)->place + r->r_addend - (int64_t)(f->place + at) : 0;
            uint32_t word =
                r ? (uint32_t)(ELF64_R_TYPE(r->r_info) == REL32_LO ? far : far >> 32) : word_at(f, at);
            fprintf(out, "0x%x,", word);
        }
    fprintf(out, "};\n");
}

/* Without what code generation will put in front of it again. */
static size_t beginning(const struct library *l, const struct function *f)
{
    size_t n = l->empty->size - 4; /* without the jump back */
    return n <= f->size && !memcmp(f->code, l->empty->code, n) ? n : 0;
}

static void write_function(FILE *out, struct library *l, const struct function *f, const char *cpu)
{
    size_t begin = beginning(l, f), n = 0;
    fprintf(out, "static const uint32_t %s%s[] = {", cpu, f->name);
    for (size_t at = begin; at < f->size; at += 4)
        fprintf(out, "0x%x,", reference_at(f, at) ? 0 : word_at(f, at));
    fprintf(out, "};\nstatic const struct ls_ready_reference %s%s_references[] = {", cpu, f->name);
    for (size_t at = begin; at < f->size; at += 4) {
        const Elf64_Rela *r = reference_at(f, at);
        if (!r)
            continue;
        fprintf(out, "{%zu, %lld, %d},", (at - begin) / 4, (long long)(target(l, r)->place + r->r_addend),
                ELF64_R_TYPE(r->r_info) == REL32_HI);
        n++;
    }
    fprintf(out, "%s};\n", n ? "" : "{0}");
}

/* "$vgpr3" becomes "~{v3}"; tuples and halves of registers are left out, as their parts are listed, too. EXEC
 * is as before when a function returns; so are the pointers of a stack, if it has one: s32 and s33 (LLVM's
 * AMDGPUUsage, "Non-Kernel Functions"). */
static void write_clobbers(FILE *out, const char *registers, bool stack)
{
    static const char *const names[] = {"vcc", "scc", "m0"};
    const char *comma = "";
    char word[64];
    for (int used; sscanf(registers, " $%63[^ \n]%n", word, &used) == 1 && *registers != '\n';
         registers += used) {
        unsigned number;
        int end = 0;
        char kind;
        if (sscanf(word, "%cgpr%u%n", &kind, &number, &end) == 2 && end && !word[end] &&
            !(stack && kind == 's' && (number == 32 || number == 33))) {
            fprintf(out, "%s~{%c%u}", comma, kind, number);
            comma = ",";
        }
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
            if (!strcmp(word, names[i])) {
                fprintf(out, "%s~{%s}", comma, word);
                comma = ",";
            }
    }
}

static void write_rows(FILE *out, struct library *l, const char *cpu)
{
    fprintf(out, "    {\"%s\", 0, %s_cold, sizeof %s_cold / 4, 0, 0, 0, \"\"},\n", cpu, cpu, cpu);
    for (const struct function *f = l->functions; f < l->functions + l->n; f++) {
        if (!f->ready)
            continue;
        size_t n = 0;
        for (size_t at = beginning(l, f); at < f->size; at += 4)
            n += reference_at(f, at) != NULL;
        fprintf(out, "    {\"%s\", \"%s\", %s%s, sizeof %s%s / 4, %zu, %d, %s%s_references, \"", cpu, f->name,
                cpu, f->name, cpu, f->name, n, f->scratch, cpu, f->name);
        write_clobbers(out, registers_of(l, f->name), f->scratch > 0);
        fprintf(out, "\"},\n");
    }
}

static bool load(struct library *l, const char *prefix)
{
    l->object = read_file(prefix, ".o");
    l->assembly = read_file(prefix, ".s");
    l->registers = read_file(prefix, ".regs");
    if (!l->object || !l->assembly || !l->registers)
        return false;
    if (!find_functions(l)) {
        fprintf(stderr, "device_code: %s.o is not what device_driver.ll should become\n", prefix);
        return false;
    }
    if (has_cycle(l))
        return false;
    find_ready(l);
    return true;
}

static void unload(struct library *l)
{
    free(l->object);
    free(l->assembly);
    free(l->registers);
}

static bool write_all(FILE *out, int n, char **names)
{
    struct library *all = calloc((size_t)n / 2 + 1, sizeof *all);
    bool good = all != NULL;
    fputs("/* Generated by device_code.c. */\n#include \"ls_ready.h\"\n", out);
    for (int i = 0; good && i < n / 2; i++)
        good = load(&all[i], names[2 * i + 1]);
    for (int i = 0; good && i < n / 2; i++) {
        write_cold(out, &all[i], names[2 * i]);
        for (unsigned k = 0; k < all[i].n; k++)
            if (all[i].functions[k].ready)
                write_function(out, &all[i], &all[i].functions[k], names[2 * i]);
    }
    fputs("static const struct ls_ready_function ls_ready[] = {\n", out);
    for (int i = 0; good && i < n / 2; i++)
        write_rows(out, &all[i], names[2 * i]);
    fputs("    {0},\n};\nenum { ls_n_ready = sizeof ls_ready / sizeof *ls_ready - 1 };\n", out);
    for (int i = 0; all && i < n / 2; i++)
        unload(&all[i]);
    free(all);
    return good;
}

int main(int argc, char **argv)
{
    FILE *out = argc >= 2 ? fopen(argv[1], "w") : NULL;
    if (!out) {
        fprintf(stderr, "device_code: no file to write to\n");
        return 1;
    }
    bool good = write_all(out, argc - 2, argv + 2);
    good &= !fclose(out);
    if (!good)
        remove(argv[1]);
    return good ? 0 : 1;
}
