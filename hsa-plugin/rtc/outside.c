/*
 * outside.c - see outside.h.
 *
 *     sources --comgr--> bitcode --clang with the plugin--> relocatable --comgr--> executable
 *
 * comgr makes the code once more without us: it is what the originals are compared with, it tells the version of the
 * code object and the relocatable's name, and its messages are those that the program gets.
 */
#include "outside.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/names.h"
#include "hsa-plugin/beside.h"
#include "hsa-plugin/log.h"
#include "same_code.h"
#include "spawn.h"

/* ---- clang ---- */

enum { WORDS_MOST = 256, FOREMOST = 12 };

/* Runs clang on `in`; the object file (malloc'd), or NULL with its complaint in the work's folder. */
static char *generate(const char *clang, const char *plugin, const char *cpu,
                      const struct comgr_options *more, const char *in, size_t in_size,
                      const struct rtc_work *w, size_t *out_size)
{
    char load[4096], processor[128];
    char *source = rtc_work_path(w, "in.bc"), *object = rtc_work_path(w, "out.o");
    snprintf(load, sizeof load, "-fpass-plugin=%s", plugin);
    snprintf(processor, sizeof processor, "-mcpu=%s", cpu);
    const char *argv[WORDS_MOST + FOREMOST] = {
        clang,    "--target=amdgcn-amd-amdhsa", processor, load, "-nogpulib", "-c",
        "-mllvm", "-amdgpu-internalize-symbols"};
    size_t n = 8;
    for (size_t i = 0; i < more->n; i++)
        argv[n++] = more->v[i];
    const char *const last[] = {"-x", "ir", source, "-o", object};
    char *made = NULL;
    if (source && object && rtc_work_write(w, "in.bc", in, in_size)) {
        memcpy(argv + n, last, sizeof last);
        rtc_work_run(w, argv);
        made = rtc_work_read(w, "out.o", out_size);
    }
    free(source);
    free(object);
    return made;
}

/* "22" of clang; 0: it does not run. */
static int major_of(const char *clang, const struct rtc_work *w)
{
    const char *const argv[] = {clang, "-dumpversion", NULL};
    size_t size;
    rtc_work_run(w, argv);
    char *told = rtc_work_read(w, "stdout", &size);
    int major = told ? atoi(told) : 0;
    free(told);
    return major;
}

/* Whether an empty module goes through with the plugin of that clang's version; *plugin is set then. */
static bool works(const char *clang, char **plugin)
{
    static const struct comgr_options none;
    struct rtc_work w;
    char name[64];
    size_t size;
    if (access(clang, X_OK) || !rtc_work_open(&w))
        return false;
    snprintf(name, sizeof name, "liblanescope-pass-%d.so", major_of(clang, &w));
    char *path = ls_beside(name);
    char *made =
        path && !access(path, R_OK) ? generate(clang, path, "gfx90a", &none, "", 0, &w, &size) : NULL;
    rtc_work_close(&w);
    if (made)
        *plugin = path;
    else
        free(path);
    free(made);
    return made != NULL;
}

/* NULL, or the path of a clang that works (malloc'd). */
static char *candidate(const char *folder, const char *below, char **plugin)
{
    char *clang = NULL;
    if (!folder || asprintf(&clang, "%s/%s", folder, below) < 0)
        return NULL;
    if (works(clang, plugin))
        return clang;
    free(clang);
    return NULL;
}

void rtc_find_outside(struct rtc *r, char why[PLUGIN_WHY])
{
    const char *named = getenv("LANESCOPE_LLVM_DIR");
    char *beside = comgr_folder(&r->comgr);
    const struct {
        const char *folder, *below;
    } places[] = {
        {named && *named ? named : NULL, "bin/clang"},
        {named && *named ? named : NULL, "clang"},
        {beside, "../llvm/bin/clang"},
        {beside, "llvm/bin/clang"},
        {"/usr/bin", "clang-22"},
        {"/usr/lib/llvm-22/bin", "clang"},
    };
    for (size_t i = 0; !r->clang && i < sizeof places / sizeof *places; i++)
        r->clang = candidate(places[i].folder, places[i].below, &r->plugin);
    free(beside);
    if (!r->clang)
        snprintf(why, PLUGIN_WHY,
                 "this ROCm's comgr has its LLVM built in, where no plugin can be loaded, and there is no "
                 "clang that can "
                 "take its place: install clang-22, or name LLVM's folder with LANESCOPE_LLVM_DIR");
}

/* ---- options ---- */

/* What acts on code generation; the others are the front end's, which has done its work. */
static bool for_code_generation(const char *word)
{
    static const char *const starts[] = {"-O", "-m", "-f", "-Xclang"}, *const not[] = {"-fpass-plugin",
                                                                                       "-fmacro-prefix-map"};
    bool yes = false;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        yes |= !strncmp(word, starts[i], strlen(starts[i]));
    for (size_t i = 0; i < sizeof not / sizeof *not; i++)
        yes &= strncmp(word, not[i], strlen(not[i])) != 0;
    return yes && strncmp(word, "-mcpu=", 6) != 0;
}

/* Borrows the words of `all`, and `version`. False: too many, or out of memory. */
static bool choose(const struct comgr_options *all, char *version, struct comgr_options *chosen)
{
    *chosen = (struct comgr_options){.v = calloc(all->n + 1, sizeof *chosen->v)};
    if (!chosen->v || all->n + 1 >= WORDS_MOST)
        return false;
    chosen->v[chosen->n++] = version;
    for (size_t i = 0; i < all->n; i++) {
        bool two = !strcmp(all->v[i], "-mllvm") || !strcmp(all->v[i], "-Xclang");
        if (!for_code_generation(all->v[i]) || (two && i + 1 == all->n))
            continue;
        chosen->v[chosen->n++] = all->v[i];
        if (two)
            chosen->v[chosen->n++] = all->v[++i];
    }
    return true;
}

/* The processor in "amdgcn-amd-amdhsa--gfx90a:sramecc+". */
static bool processor(const struct comgr *c, comgr_object info, char cpu[64])
{
    size_t size = 0;
    char name[128] = "";
    if (c->isa_name(info, &size, NULL) || size > sizeof name || c->isa_name(info, &size, name))
        return false;
    const char *at = strstr(name, "--");
    return at && snprintf(cpu, 64, "%s", at + 2) < 64;
}

/* ---- one module ---- */

/* ELF's e_ident[EI_ABIVERSION] is 1 for version 3 of code objects (LLVM's AMDGPUUsage, "Header"). */
static void code_object_version(char option[40], const char *object, size_t size)
{
    snprintf(option, 40, "-mcode-object-version=%d", size > 8 ? object[8] + 2 : 0);
}

static void compare(const struct rtc *r, const char *plain, size_t plain_size, const char *made,
                    size_t made_size)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!rtc_same_code(plain, plain_size, made, made_size) && !atomic_flag_test_and_set(&said))
        ls_log(LS_LOG_WARNING,
               "the machine code of kernels compiled at run time is that of %s, and differs from this ROCm's "
               "comgr, whose "
               "LLVM is built in",
               r->clang);
}

static void complain(const struct rtc_work *w)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    size_t size;
    char *text = rtc_work_read(w, "stderr", &size);
    char *error = text ? strstr(text, "error: ") : NULL;
    if (text && !atomic_flag_test_and_set(&said))
        ls_log(LS_LOG_WARNING, "code generation outside of comgr failed: %.*s",
               (int)strcspn(error ? error : text, "\n"), error ? error : text);
    free(text);
}

/* The relocatable of one piece of bitcode. `plain`: comgr's own. */
static bool replace(const struct rtc *r, comgr_object info, comgr_object bitcode, comgr_object plain,
                    comgr_object result)
{
    const struct comgr *c = &r->comgr;
    struct comgr_options all, chosen = {0};
    struct rtc_work w;
    char cpu[64], version[40];
    size_t in_size, plain_size, size = 0;
    if (!processor(c, info, cpu) || !comgr_options_get(c, info, &all))
        return false;
    char *in = comgr_bytes(c, bitcode, &in_size), *own = comgr_bytes(c, plain, &plain_size);
    char *name = comgr_name(c, plain), *made = NULL;
    if (in && own && name && rtc_work_open(&w)) {
        code_object_version(version, own, plain_size);
        if (choose(&all, version, &chosen))
            made = generate(r->clang, r->plugin, cpu, &chosen, in, in_size, &w, &size);
        if (!made)
            complain(&w);
        rtc_work_close(&w);
    }
    bool ok = made && comgr_add(c, result, COMGR_RELOCATABLE, name, made, size);
    if (ok)
        compare(r, own, plain_size, made, size);
    free(chosen.v);
    free(name);
    free(own);
    free(in);
    free(made);
    comgr_options_free(&all);
    return ok;
}

/* The i-th object of a kind, to be released; false: there is none. */
static bool pair(const struct comgr *c, comgr_object bitcodes, comgr_object plains, size_t i,
                 comgr_object out[2])
{
    if (c->data_at(bitcodes, COMGR_BITCODE, i, &out[0]))
        return false;
    if (!c->data_at(plains, COMGR_RELOCATABLE, i, &out[1]))
        return true;
    c->release_data(out[0]);
    return false;
}

/* comgr has made a relocatable of each piece of bitcode, in the same order. */
static bool replace_all(const struct rtc *r, comgr_object info, comgr_object bitcodes, comgr_object plains,
                        comgr_object result)
{
    const struct comgr *c = &r->comgr;
    size_t n = 0, made = 0;
    bool ok = !c->data_count(bitcodes, COMGR_BITCODE, &n) &&
              !c->data_count(plains, COMGR_RELOCATABLE, &made) && n && n == made;
    for (size_t i = 0; ok && i < n; i++) {
        comgr_object both[2];
        ok = pair(c, bitcodes, plains, i, both);
        if (ok) {
            ok = replace(r, info, both[0], both[1], result);
            c->release_data(both[0]);
            c->release_data(both[1]);
        }
    }
    return ok;
}

bool rtc_generate_outside(const struct rtc *r, int action, comgr_object info, comgr_object in,
                          comgr_object result)
{
    const struct comgr *c = &r->comgr;
    comgr_object plain;
    if (c->create_data_set(&plain))
        return false;
    bool ok = !c->action(action, info, in, plain) && replace_all(r, info, in, plain, result) &&
              comgr_move(c, COMGR_LOG, plain, result);
    c->destroy_data_set(plain);
    return ok;
}

/* The sources' own options are not the linker's. */
static bool link_executable(const struct rtc *r, comgr_object info, comgr_object relocatables,
                            comgr_object result)
{
    static const struct comgr_options none;
    const struct comgr *c = &r->comgr;
    struct comgr_options o;
    if (!comgr_options_get(c, info, &o))
        return false;
    bool ok = comgr_options_set(c, info, &none, NULL, 0) &&
              !c->action(COMGR3_LINK_EXECUTABLE, info, relocatables, result);
    ok = comgr_options_set(c, info, &o, NULL, 0) && ok;
    comgr_options_free(&o);
    return ok;
}

bool rtc_finish_outside(const struct rtc *r, int action, comgr_object info, comgr_object in,
                        comgr_object bitcode, comgr_object result)
{
    const struct comgr *c = &r->comgr;
    comgr_object plain, made;
    if (c->create_data_set(&plain))
        return false;
    bool ok = !c->create_data_set(&made);
    if (ok) {
        bool executable = action == COMGR3_SOURCE_TO_EXECUTABLE;
        ok = !c->action(COMGR3_SOURCE_TO_RELOCATABLE, info, in, plain) &&
             replace_all(r, info, bitcode, plain, executable ? made : result) &&
             (!executable || link_executable(r, info, made, result));
        c->destroy_data_set(made);
    }
    c->destroy_data_set(plain);
    return ok;
}
