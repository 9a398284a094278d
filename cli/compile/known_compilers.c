/*
 * known_compilers.c - the LLVM of compilers that were asked before.
 *
 *   ~/.cache/lanescope/compilers/HASH    15 /usr/lib/llvm-15/bin/clang
 *                                        5c1f0b93aa01c2d4
 *
 * hipcc is a script that starts clang three times to answer, which costs as much as a small file. An answer counts as long
 * as its sum is that of the compiler, of the compiler proper that was found behind it, of the environment, and of the
 * folders that a compiler may be looked for in: whoever replaces one of them, or puts another before it, changes a
 * folder. What does not fit is asked anew.
 */
#include "known_compilers.h"
#include "cli/common/arguments.h"
#include "cli/common/cache.h"
#include "cli/common/programs.h"
#include "common/hash.h"
#include "common/machine_code.h"
#include "common/make_folders.h"
#include "common/names.h"
#include "compile_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t mix_text(uint64_t hash, const char *s)
{
    return ls_hash(hash, s, strlen(s) + 1);
}

static uint64_t mix_file(uint64_t hash, const char *path)
{
    struct stat st;
    hash = mix_text(hash, path);
    if (stat(path, &st))
        return hash;
    hash = ls_hash(hash, &st.st_ino, sizeof st.st_ino);
    hash = ls_hash(hash, &st.st_size, sizeof st.st_size);
    hash = ls_hash(hash, &st.st_mtim, sizeof st.st_mtim);
    return ls_hash(hash, &st.st_ctim, sizeof st.st_ctim); /* files may be copied with their times */
}

static uint64_t mix_below(uint64_t hash, const char *folder, const char *const *names)
{
    for (; *names; names++) {
        char *path = text("%s/%s", folder, *names);
        hash = mix_file(hash, path);
        free(path);
    }
    return hash;
}

/* Which names lead to which programs. */
static uint64_t mix_path(uint64_t hash)
{
    const char *path = getenv("PATH");
    for (size_t n; path && *path; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        char *folder = text("%.*s", n ? (int)n : 1, n ? path : ".");
        hash = mix_file(hash, folder);
        free(folder);
    }
    return mix_file(hash, "/etc/alternatives");
}

/* What hipcc looks at: beside itself, in its ROCm, and in those that variables name. */
static uint64_t mix_rocm(uint64_t hash, const char *real)
{
    static const char *const beside[] = {"hipcc.pl", "hipcc.bin", "hipvars.pm", NULL};
    static const char *const below[] = {"bin",      "bin/.hipVersion", "lib/.hipInfo",
                                        "llvm/bin", "lib/llvm/bin",    NULL};
    static const char *const variables[] = {"HIP_PATH", "ROCM_PATH", "HIP_ROCCLR_HOME", "CUDA_PATH"};
    const char *clang = getenv("HIP_CLANG_PATH");
    char *folder = text("%.*s", (int)(ls_base_name(real) - real), real), *above = text("%s..", folder);
    hash = mix_below(mix_below(hash, folder, beside), above, below);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            hash = mix_below(hash, getenv(variables[i]), below);
    free(folder);
    free(above);
    return mix_below(mix_file(hash, clang ? clang : ""), "/opt/rocm", below);
}

/* What shells and make change from command to command, what is ours, and what hipcc is told of GPUs, which we do, too. */
static bool is_of_no_matter(const char *variable)
{
    static const char *const names[] = {
        "_=",        "PWD=", "OLDPWD=", "SHLVL=", "MAKEFLAGS=", "MFLAGS=", "MAKELEVEL=", "HCC_AMDGPU_TARGET=",
        "LANESCOPE_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (starts(variable, names[i]))
            return true;
    return false;
}

/* In any order. */
static uint64_t environment_sum(void)
{
    uint64_t sum = 0;
    for (char **v = environ; *v; v++)
        sum += is_of_no_matter(*v) ? 0 : mix_text(LS_HASH_BEGIN, *v);
    return sum;
}

static uint64_t sum_of(const char *found, const char *real, int major, const char *proper)
{
    const uint64_t environment = environment_sum();
    uint64_t hash = mix_text(LS_HASH_BEGIN, found);
    hash = mix_file(mix_file(hash, real), proper);
    hash = mix_rocm(mix_path(hash), real);
    hash = ls_hash(hash, &environment, sizeof environment);
    return ls_hash(hash, &major, sizeof major);
}

/* A script may look anywhere for its clang; hipcc's we know. Other programs that have a compiler's name, such as links to ccache,
 * start one. */
static bool is_known(const char *real)
{
    const char *name = ls_base_name(real);
    return starts(name, "hipcc") ||
           ((starts(name, "clang") || starts(name, "amdclang")) && ls_is_machine_code(real));
}

/* A compiler, and the file in which its version is kept. */
struct entry {
    char *found, *real, *file;
};

static void free_entry(struct entry *e)
{
    free(e->found);
    free(e->real);
    free(e->file);
}

static bool find_entry(struct entry *e, const char *compiler)
{
    *e = (struct entry){.found = program_path(compiler)};
    e->real = e->found ? realpath(e->found, NULL) : NULL;
    char *folder = e->real && is_known(e->real) ? cache_folder() : NULL;
    if (folder)
        e->file = text("%s/compilers/%016llx", folder,
                       (unsigned long long)mix_text(mix_text(LS_HASH_BEGIN, e->found), e->real));
    free(folder);
    return e->file;
}

static char *content_of(const struct entry *e, int major, const char *proper)
{
    return text("%d %s\n%016llx\n", major, proper,
                (unsigned long long)sum_of(e->found, e->real, major, proper));
}

/* The version in a kept text that is what would be written now. */
static int major_in(const struct entry *e, const char *kept)
{
    int major = 0, at = 0;
    if (sscanf(kept, "%d %n", &major, &at) != 1 || kept[at] != '/' || !strchr(kept, '\n'))
        return 0;
    char *proper = text("%.*s", (int)strcspn(kept + at, "\n"), kept + at);
    char *content = content_of(e, major, proper);
    const bool fits = !strcmp(content, kept);
    free(content);
    free(proper);
    return fits ? major : 0;
}

int known_major(const char *compiler)
{
    struct entry e;
    char *kept = find_entry(&e, compiler) ? read_text(e.file) : NULL;
    const int major = kept ? major_in(&e, kept) : 0;
    free(kept);
    free_entry(&e);
    return major;
}

static bool write_text(const char *path, const char *content)
{
    FILE *out = fopen(path, "wxe");
    const bool ok = out && fputs(content, out) >= 0;
    return out && fclose(out) == 0 && ok;
}

void keep_major(const char *compiler, int major, const char *proper)
{
    struct entry e;
    if (find_entry(&e, compiler) && major > 0 && *proper == '/' && !strchr(proper, '\n')) {
        char *content = content_of(&e, major, proper), *partial = text("%s.%ld", e.file, (long)getpid());
        if (ls_make_parents(partial, 0700) && (!write_text(partial, content) || rename(partial, e.file)))
            unlink(partial);
        free(partial);
        free(content);
    }
    free_entry(&e);
}
