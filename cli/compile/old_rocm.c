/*
 * old_rocm.c - what a new clang needs to compile for a ROCm that is too old for it.
 *
 * Since clang 17 the compiler no longer links some device libraries and no longer defines some macros that
 * the headers of ROCm 5 need, and it asks for libraries that came later. What is missing is made once, into a
 * cache directory: links to the installed device libraries, and small ones that are made here. The headers'
 * part is lanescope-hip-compat.h.
 */
#include "old_rocm.h"
#include "cli/common/cache.h"
#include "cli/common/cli.h"
#include "cli/common/programs.h"
#include "common/make_folders.h"
#include "common/temporary.h"
#include "common/hash.h"
#include "compiler.h"
#include "gpus/gpus.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GLOBAL_LINE "@%s = linkonce_odr protected local_unnamed_addr addrspace(4) constant %s %d\n"

/* Compiles LLVM assembly text into dir/file.bc. */
static bool make_library(const char *compiler, const char *dir, const char *file, const char *ir)
{
    char *source = text("%s/%s.ll", dir, file), *target = text("%s/%s.bc", dir, file);
    FILE *out = fopen(source, "w");
    bool ok = out && fputs(ir, out) >= 0;
    if (out && fclose(out))
        ok = false;
    unlink(target); /* may be a link to the installed one */
    char *made = ok ? output_of((char *const[]){(char *)compiler, "-x", "ir", "-target", "amdgcn-amd-amdhsa",
                                                "-nogpulib", "-emit-llvm", "-c", source, "-o", target, NULL})
                    : NULL;
    free(made);
    ok = ok && !access(target, R_OK);
    unlink(source);
    free(source);
    free(target);
    return ok;
}

/* A library that defines one number, which the math library tests; nothing where it is installed. */
static bool make_number(const char *compiler, const char *dir, const char *file, const char *global,
                        unsigned value)
{
    if (readable("%s/%s.bc", dir, file))
        return true;
    char *ir = text(GLOBAL_LINE, global, "i32", (int)value);
    bool ok = make_library(compiler, dir, file, ir);
    free(ir);
    return ok;
}

/* ISA numbers are major * 1000 + minor * 100 + stepping (oclc_isa_version_*.bc of ROCm-Device-Libs). */
static bool make_gpu(const char *compiler, const char *dir, const struct ls_gpu *gpu)
{
    const unsigned major = gpu->version / 10000, minor = gpu->version / 100 % 100,
                   stepping = gpu->version % 100;
    char *file = text("oclc_isa_version_%s", gpu->name + strlen("gfx"));
    bool ok = make_number(compiler, dir, file, "__oclc_ISA_version", major * 1000 + minor * 100 + stepping);
    free(file);
    return ok;
}

static bool make_missing(const char *compiler, const char *dir)
{
    const struct ls_gpu *gpu;
    bool ok = make_number(compiler, dir, "oclc_abi_version_600", "__oclc_ABI_version", 600);
    for (size_t i = 0; ok && (gpu = ls_gpu_at(i)); i++)
        ok = make_gpu(compiler, dir, gpu);
    /* clang 17 and later no longer link oclc_daz_opt_*.bc; every GPU that they support handles denormals. */
    for (int on = 0; ok && on < 2; on++) {
        char *ir =
            text(GLOBAL_LINE GLOBAL_LINE, "__oclc_unsafe_math_opt", "i8", on, "__oclc_daz_opt", "i8", 0);
        ok = make_library(compiler, dir, on ? "oclc_unsafe_math_on" : "oclc_unsafe_math_off", ir);
        free(ir);
    }
    return ok;
}

static bool link_installed(const char *from, const char *dir)
{
    char *pattern = text("%s/*.bc", from);
    glob_t found;
    bool ok = !glob(pattern, 0, NULL, &found);
    free(pattern);
    for (size_t i = 0; ok && i < found.gl_pathc; i++) {
        char *target = text("%s/%s", dir, strrchr(found.gl_pathv[i], '/') + 1);
        ok = !symlink(found.gl_pathv[i], target);
        free(target);
    }
    if (ok)
        globfree(&found);
    return ok;
}

/* One directory per set of installed libraries (path and time), LLVM version and table of GPUs. */
static char *cache_directory(const char *from, int major)
{
    struct stat st = {0};
    stat(from, &st);
    char *key = text("%s %lld", from, (long long)st.st_mtime);
    uint64_t hash = ls_hash(LS_HASH_BEGIN, key, strlen(key));
    free(key);
    const struct ls_gpu *gpu;
    for (size_t i = 0; (gpu = ls_gpu_at(i)); i++)
        hash = ls_hash(hash, gpu->name, strlen(gpu->name) + 1);
    char *folder = cache_folder();
    if (!folder)
        folder = text("%s/lanescope-%u", ls_temporary_folder(), (unsigned)getuid());
    char *dir = text("%s/device-libs-%d-%016llx", folder, major, (unsigned long long)hash);
    free(folder);
    return dir;
}

/* The directory with everything that the compiler asks for; NULL after a message. Made under another name and
 * renamed, so that compilers which run at the same time never see half of it. */
static char *complete_device_libs(const char *compiler, const char *from, int major)
{
    char *dir = cache_directory(from, major);
    if (readable("%s/oclc_abi_version_600.bc", dir))
        return dir;
    char *temporary = text("%s.%ld", dir, (long)getpid());
    ls_make_folders(temporary, 0777);
    bool ok = link_installed(from, temporary) && make_missing(compiler, temporary);
    if (ok && rename(temporary, dir) && !readable("%s/oclc_abi_version_600.bc", dir))
        ok = false;
    if (!ok) {
        message("cannot make the device libraries that clang %d needs beside %s in %s: %s", major, from, dir,
                strerror(errno));
        free(dir);
        dir = NULL;
    }
    ls_remove_folder(temporary);
    free(temporary);
    return dir;
}

/* Those in the folder of another clang, where Debian has them since 13: of the newest one that is no newer than this one,
 * which could not read them. NULL: there are none, or this one has its own. */
static char *find_beside_clang(int major)
{
    glob_t found;
    char *libs = NULL;
    int best = 0;
    if (glob("/usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode/ocml.bc", 0, NULL, &found))
        return NULL;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *file = found.gl_pathv[i];
        int version = atoi(file + strlen("/usr/lib/llvm-"));
        if (version <= best || version > major)
            continue;
        best = version;
        free(libs);
        libs = text("%.*s", (int)(strrchr(file, '/') - file), file);
    }
    globfree(&found);
    if (best < major)
        return libs;
    free(libs);
    return NULL;
}

/* Where the installed device libraries are; NULL when not found, which is the compiler's to report. */
static char *find_device_libs(const struct command *c, int major)
{
    static const char *const usual[] = {
        "/opt/rocm/amdgcn/bitcode", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", "/usr/lib64/amdgcn/bitcode",
        "/usr/lib/amdgcn/bitcode", "/usr/amdgcn/bitcode"};
    if (c->device_libs)
        return text("%s", c->device_libs);
    if (c->rocm_path && readable("%s/amdgcn/bitcode/ocml.bc", c->rocm_path))
        return text("%s/amdgcn/bitcode", c->rocm_path);
    for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
        if (readable("%s/ocml.bc", usual[i]))
            return text("%s", usual[i]);
    return find_beside_clang(major);
}

/* Whether the compiler is in the folder of a ROCm, as amdclang++ (in lib/llvm/bin of it) and hipcc (in bin) are: it finds that
 * one's headers and libraries, and they fit it. HIP below /usr is the distribution's, whatever the compiler. */
static bool has_own_rocm(const char *compiler)
{
    enum { MOST_UP = 4 };
    char *path = program_path(compiler), *folder = path ? realpath(path, NULL) : NULL;
    bool own = false;
    for (int up = 0; folder && up < MOST_UP && !own && strrchr(folder, '/') > folder; up++) {
        *strrchr(folder, '/') = 0;
        own = strcmp(folder, "/usr") != 0 && readable("%s/include/hip/hip_version.h", folder);
    }
    free(path);
    free(folder);
    return own;
}

/* The folder that lanescope-hip-compat.h is in. */
static char *compat_folder(void)
{
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    exe[n > 0 ? n : 0] = 0;
    for (int i = 0; i < 2 && strrchr(exe, '/'); i++)
        *strrchr(exe, '/') = 0;
    return text("%s/share/lanescope", exe);
}

int add_old_rocm(struct arguments *out, const struct command *c, const char *compiler, int major)
{
    if (major < 17 || (!c->rocm_path && !c->device_libs && has_own_rocm(compiler)))
        return 0;
    char *libs = find_device_libs(c, major);
    if (!libs || readable("%s/oclc_abi_version_600.bc", libs)) {
        if (libs && strstr(libs, "/lib/clang/"))
            add_argument(out, "--rocm-device-lib-path=%s", libs);
        free(libs);
        return 0;
    }
    if (!c->rocm_path && !readable("/opt/rocm/include/hip/hip_runtime.h") &&
        readable("/usr/include/hip/hip_runtime.h"))
        add_argument(out, "--rocm-path=/usr");
    char *complete = complete_device_libs(compiler, libs, major), *folder = compat_folder();
    free(libs);
    if (!complete)
        return EXIT_MISSING;
    add_argument(out, "--rocm-device-lib-path=%s", complete);
    free(complete);
    if (!c->code_object && !c->generic) /* generic targets want 6, which that ROCm does not load anyway */
        add_argument(out,
                     "-mcode-object-version=4"); /* the newest that comgr of ROCm 5.2 reads the ISA name of */
    if (c->sources) {
        /* Kernels with calls that the compiler does not see through, such as printf, ask for all hidden
         * arguments then; HIP 5.2 has no queue to give, and crashes. HIP has no way to use these two. */
        static const char *const unused[] = {"amdgpu-no-default-queue", "amdgpu-no-completion-action"};
        for (size_t i = 0; i < sizeof(unused) / sizeof(*unused); i++) {
            add_argument(out, "-Xclang");
            add_argument(out, "-default-function-attr");
            add_argument(out, "-Xclang");
            add_argument(out, "%s", unused[i]);
        }
        /* a header of the system: no dependency for -MMD, no warnings */
        add_argument(out, "-Xclang");
        add_argument(out, "-internal-isystem");
        add_argument(out, "-Xclang");
        add_argument(out, "%s", folder);
        add_argument(out, "-include");
        add_argument(out, "lanescope-hip-compat.h");
    }
    free(folder);
    return 0;
}
