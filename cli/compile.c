/*
 * compile.c - runs a compiler so that device code is instrumented.
 *
 * What is added: the plugin of the compiler's LLVM version, for the device side only; line tables for device
 * code (not the host's); and, where a new clang meets a ROCm that is too old for it, what the two lack
 * (section "old ROCm").
 */
#include "compile.h"
#include "cli.h"
#include "paths.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- argument lists ---- */

struct list {
    char **v;
    size_t n;
};

static void add(struct list *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void out_of_memory(void)
{
    message("out of memory");
    exit(EXIT_FAILED);
}

static char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *vtext(const char *format, va_list args)
{
    char *s;
    if (vasprintf(&s, format, args) < 0)
        out_of_memory();
    return s;
}

static char *text(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *s = vtext(format, args);
    va_end(args);
    return s;
}

static void add(struct list *l, const char *format, ...)
{
    l->v = reallocarray(l->v, l->n + 2, sizeof(*l->v));
    if (!l->v)
        out_of_memory();
    va_list args;
    va_start(args, format);
    l->v[l->n++] = vtext(format, args);
    va_end(args);
    l->v[l->n] = NULL;
}

static bool starts(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

static bool ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && !strcmp(s + n - m, suffix);
}

static bool readable(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool readable(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *path = vtext(format, args);
    va_end(args);
    bool ok = !access(path, R_OK);
    free(path);
    return ok;
}

/* ---- the command as given ---- */

struct command {
    bool hip;         /* device code is compiled or linked */
    bool rdc;         /* -fgpu-rdc: device code is compiled to bitcode and optimised when it is linked */
    bool links;       /* no -c, -S, -E, ... */
    bool sources;     /* has inputs to compile */
    bool debug;       /* a -g option is there */
    bool language;    /* -x is there */
    bool code_object; /* -mcode-object-version is there */
    const char *rocm_path, *device_libs;
};

static bool is_source(const char *arg)
{
    static const char *const kinds[] = {".cpp", ".cc", ".cxx", ".c++", ".C", ".cu", ".hip"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (arg[0] != '-' && ends(arg, kinds[i]))
            return true;
    return false;
}

/* An option that takes the next argument, which is no input then. */
static bool takes_next(const char *arg)
{
    static const char *const options[] = {
        "-o",      "-I",         "-D",      "-U",  "-L",  "-l",  "-include",      "-isystem",
        "-Xclang", "-Xlinker",   "-mllvm",  "-MF", "-MT", "-MQ", "-Xarch_device", "-Xarch_host",
        "-target", "-idirafter", "-iquote", "-T",  "-u"};
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
        if (!strcmp(arg, options[i]))
            return true;
    return false;
}

static bool stops_before_link(const char *arg)
{
    static const char *const options[] = {"-c",           "-S",        "-E", "-M", "-MM", "-fsyntax-only",
                                          "--precompile", "-emit-llvm"};
    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
        if (!strcmp(arg, options[i]))
            return true;
    return false;
}

static void scan_option(struct command *c, const char *arg)
{
    if (starts(arg, "--offload-arch") || starts(arg, "--cuda-gpu-arch") || !strcmp(arg, "--hip-link"))
        c->hip = true;
    else if (!strcmp(arg, "-fgpu-rdc") || !strcmp(arg, "-fno-gpu-rdc"))
        c->rdc = arg[2] == 'g';
    else if (stops_before_link(arg))
        c->links = false;
    else if (starts(arg, "-g") && strcmp(arg, "-g0") && !starts(arg, "-gcc") && !starts(arg, "-gpu"))
        c->debug = true;
    else if (starts(arg, "--rocm-path="))
        c->rocm_path = strchr(arg, '=') + 1;
    else if (starts(arg, "--rocm-device-lib-path=") || starts(arg, "--hip-device-lib-path="))
        c->device_libs = strchr(arg, '=') + 1;
    else if (starts(arg, "-mcode-object-version") || starts(arg, "-mcode-object-v"))
        c->code_object = true;
}

/* Block probes are asked for in the environment, which reaches the compiler's own children and the linker. 1:
 * it was our option, -1: it was ours and is wrong. */
static int take_own_option(const char *arg)
{
    static const char name[] = "--lanescope-blocks";
    if (!starts(arg, name))
        return 0;
    const char *value = arg + sizeof(name) - 1;
    if (*value && strcmp(value, "=only")) {
        message("%s: --lanescope-blocks or --lanescope-blocks=only is expected", arg);
        return -1;
    }
    if (setenv("LANESCOPE_PROBE_BLOCKS", *value ? "only" : "1", 1))
        out_of_memory();
    return 1;
}

/* Removes our own options from the command; false after a message. */
static bool take_own_options(int *argc, char **argv)
{
    int n = 1;
    for (int i = 1; i < *argc; i++) {
        int taken = take_own_option(argv[i]);
        if (taken < 0)
            return false;
        if (!taken)
            argv[n++] = argv[i];
    }
    *argc = n;
    argv[n] = NULL;
    return true;
}

static struct command scan(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    struct command c = {.hip = starts(name, "hipcc"), .links = true};
    for (int i = 1; i < argc; i++) {
        if (starts(argv[i], "-x")) {
            const char *language = argv[i][2] ? argv[i] + 2 : i + 1 < argc ? argv[++i] : "";
            c.language = true;
            c.hip |= !strcmp(language, "hip");
        } else if (takes_next(argv[i])) {
            i++;
        } else if (argv[i][0] == '-') {
            scan_option(&c, argv[i]);
        } else {
            c.hip |= ends(argv[i], ".hip");
            c.sources |= is_source(argv[i]) || c.language;
        }
    }
    if (!c.rocm_path)
        c.rocm_path = getenv("ROCM_PATH");
    if (!c.device_libs)
        c.device_libs = getenv("HIP_DEVICE_LIB_PATH");
    return c;
}

/* ---- the compiler ---- */

/* Standard output of a command, malloc'd; NULL when it cannot be run or fails. Its standard error is dropped.
 */
static char *output_of(char *const *argv)
{
    int fd[2];
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe2(fd, O_CLOEXEC))
        return NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(fd[1]);
    char *out = NULL;
    size_t n = 0;
    FILE *in = error ? NULL : fdopen(fd[0], "r");
    if (!in) {
        close(fd[0]);
        return NULL;
    }
    if (getdelim(&out, &n, 0, in) < 0) {
        free(out);
        out = NULL;
    }
    fclose(in);
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return out;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return out;
    free(out);
    return NULL;
}

/* Major version of the compiler's LLVM; 0: not clang; -1: cannot be run. Asked alone, ROCm 5's hipcc looks
 * for GPUs first, in Python, and how libraries are linked; with a GPU and without linking it need not. */
static int llvm_major(const char *compiler)
{
    const char *slash = strrchr(compiler, '/'), *name = slash ? slash + 1 : compiler;
    char *const alone[] = {(char *)compiler, "--version", NULL}, *const quick[] = {(char *)compiler,
                                                                                   "--offload-arch=gfx90a",
                                                                                   "-c", "--version", NULL};
    char *out = output_of(starts(name, "hipcc") ? quick : alone);
    if (!out)
        return -1;
    const char *at = strstr(out, "clang version ");
    int major = at ? atoi(at + strlen("clang version ")) : 0;
    free(out);
    return major;
}

static char *plugin_for(int major)
{
    char *path = text("%s/liblanescope-pass-%d.so", piece_directory(), major);
    if (!access(path, R_OK))
        return path;
    free(path);
    return NULL;
}

static int no_plugin(const char *compiler, int major)
{
    char *have = text("%s", "");
    for (int m = 10; m < 100; m++) {
        char *path = plugin_for(m), *longer = path ? text("%s%s%d", have, *have ? ", " : "", m) : NULL;
        free(path);
        if (longer) {
            free(have);
            have = longer;
        }
    }
    message("%s is LLVM %d, for which no plugin is installed in %s (there is: %s); build Lanescope where "
            "llvm-%d-dev is installed, or use another compiler",
            compiler, major, piece_directory(), *have ? have : "none", major);
    free(have);
    return EXIT_MISSING;
}

/* ---- old ROCm ----
 *
 * Since clang 17 the compiler no longer links some device libraries and no longer defines some macros that
 * the headers of ROCm 5 need, and it asks for libraries that came later. What is missing is made once, into a
 * cache directory: links to the installed device libraries, and small ones that are made here. The headers'
 * part is hip-compat.h.
 */

/* Device library constants: each file defines one global that the math library tests. */
struct made_library {
    const char *file, *global, *type;
    int value;
};

/* ISA numbers: major * 1000 + minor * 100 + stepping (oclc_isa_version_*.bc of ROCm-Device-Libs). */
static const struct made_library made_libraries[] = {
    {"oclc_isa_version_942", "__oclc_ISA_version", "i32", 9402},
    {"oclc_isa_version_950", "__oclc_ISA_version", "i32", 9500},
    {"oclc_isa_version_1100", "__oclc_ISA_version", "i32", 11000},
    {"oclc_isa_version_1101", "__oclc_ISA_version", "i32", 11001},
    {"oclc_isa_version_1102", "__oclc_ISA_version", "i32", 11002},
    {"oclc_isa_version_1103", "__oclc_ISA_version", "i32", 11003},
    {"oclc_isa_version_1150", "__oclc_ISA_version", "i32", 11500},
    {"oclc_isa_version_1151", "__oclc_ISA_version", "i32", 11501},
    {"oclc_isa_version_1200", "__oclc_ISA_version", "i32", 12000},
    {"oclc_isa_version_1201", "__oclc_ISA_version", "i32", 12001},
    {"oclc_abi_version_600", "__oclc_ABI_version", "i32", 600},
};

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

static bool make_missing(const char *compiler, const char *dir)
{
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof(made_libraries) / sizeof(*made_libraries); i++) {
        const struct made_library *l = &made_libraries[i];
        if (readable("%s/%s.bc", dir, l->file))
            continue;
        char *ir = text(GLOBAL_LINE, l->global, l->type, l->value);
        ok = make_library(compiler, dir, l->file, ir);
        free(ir);
    }
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

static void make_directories(char *path)
{
    for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = 0;
        mkdir(path, 0777);
        *p = '/';
    }
    mkdir(path, 0777);
}

static void remove_directory(const char *dir)
{
    char *pattern = text("%s/*", dir);
    glob_t found;
    if (!glob(pattern, 0, NULL, &found)) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            unlink(found.gl_pathv[i]);
        globfree(&found);
    }
    free(pattern);
    rmdir(dir);
}

/* One directory per set of installed libraries (path and time) and LLVM version. */
static char *cache_directory(const char *from, int major)
{
    struct stat st = {0};
    uint64_t hash = 0xcbf29ce484222325;
    stat(from, &st);
    char *key = text("%s %lld", from, (long long)st.st_mtime);
    for (const char *p = key; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 0x100000001b3;
    free(key);
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/')
        return text("%s/lanescope/device-libs-%d-%016llx", cache, major, (unsigned long long)hash);
    if (home && *home == '/')
        return text("%s/.cache/lanescope/device-libs-%d-%016llx", home, major, (unsigned long long)hash);
    return text("/tmp/lanescope-%u/device-libs-%d-%016llx", (unsigned)getuid(), major,
                (unsigned long long)hash);
}

/* The directory with everything that the compiler asks for; NULL after a message. Made under another name and
 * renamed, so that compilers which run at the same time never see half of it. */
static char *complete_device_libs(const char *compiler, const char *from, int major)
{
    char *dir = cache_directory(from, major);
    if (readable("%s/oclc_abi_version_600.bc", dir))
        return dir;
    char *temporary = text("%s.%ld", dir, (long)getpid());
    make_directories(temporary);
    bool ok = link_installed(from, temporary) && make_missing(compiler, temporary);
    if (ok && rename(temporary, dir) && !readable("%s/oclc_abi_version_600.bc", dir))
        ok = false;
    if (!ok) {
        message("cannot make the device libraries that clang %d needs beside %s in %s: %s", major, from, dir,
                strerror(errno));
        free(dir);
        dir = NULL;
    }
    remove_directory(temporary);
    free(temporary);
    return dir;
}

/* Where the installed device libraries are; NULL when not found, which is the compiler's to report. */
static char *find_device_libs(const struct command *c)
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
    return NULL;
}

static char *compat_header(void)
{
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    exe[n > 0 ? n : 0] = 0;
    for (int i = 0; i < 2 && strrchr(exe, '/'); i++)
        *strrchr(exe, '/') = 0;
    return text("%s/share/lanescope/hip-compat.h", exe);
}

/* Adds what is needed for ROCm 5 with clang 17 and later; 0 or an exit code. */
static int add_old_rocm(struct list *out, const struct command *c, const char *compiler, int major)
{
    char *libs = major >= 17 ? find_device_libs(c) : NULL;
    if (!libs || readable("%s/oclc_abi_version_600.bc", libs)) {
        free(libs);
        return 0;
    }
    if (!c->rocm_path && !readable("/opt/rocm/include/hip/hip_runtime.h") &&
        readable("/usr/include/hip/hip_runtime.h"))
        add(out, "--rocm-path=/usr");
    char *complete = complete_device_libs(compiler, libs, major), *header = compat_header();
    free(libs);
    if (!complete)
        return EXIT_MISSING;
    add(out, "--rocm-device-lib-path=%s", complete);
    free(complete);
    if (!c->code_object)
        add(out, "-mcode-object-version=4"); /* the newest that comgr of ROCm 5.2 reads the ISA name of */
    if (c->sources) {
        /* Kernels with calls that the compiler does not see through, such as printf, ask for all hidden
         * arguments then; HIP 5.2 has no queue to give, and crashes. HIP has no way to use these two. */
        static const char *const unused[] = {"amdgpu-no-default-queue", "amdgpu-no-completion-action"};
        for (size_t i = 0; i < sizeof(unused) / sizeof(*unused); i++) {
            add(out, "-Xclang");
            add(out, "-default-function-attr");
            add(out, "-Xclang");
            add(out, "%s", unused[i]);
        }
        add(out, "-include");
        add(out, "%s", header);
    }
    free(header);
    return 0;
}

/* ---- the command as run ---- */

static void add_plugin(struct list *out, const struct command *c, const char *plugin, int major)
{
    if (!c->rdc) {
        if (c->sources) {
            add(out, "-Xarch_device");
            add(out, "-fpass-plugin=%s", plugin);
        }
    } else if (c->links) {
        /* All device code of the program is optimised here, so calls between files are seen. */
        add(out, "-Xoffload-linker");
        add(out, "--load-pass-plugin=%s", plugin);
        /* Debian's clang-N finds the lld of the default LLVM, which cannot read newer bitcode. */
        if (readable("/usr/lib/llvm-%d/bin/lld", major))
            add(out, "-B/usr/lib/llvm-%d/bin", major);
    }
    if (!c->debug && c->sources) {
        add(out, "-Xarch_device");
        add(out, "-gline-tables-only");
    }
}

/* The user's arguments; sources that clang would not take for HIP get -x hip around them (hipcc does that
 * itself). */
static void add_arguments(struct list *out, const struct command *c, int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    bool mark = !c->language && !starts(name, "hipcc");
    for (int i = 1; i < argc; i++) {
        bool source = mark && is_source(argv[i]) && !ends(argv[i], ".hip") && !(i && takes_next(argv[i - 1]));
        if (source) {
            add(out, "-x");
            add(out, "hip");
        }
        add(out, "%s", argv[i]);
        if (source) {
            add(out, "-x");
            add(out, "none");
        }
    }
}

static void print_command(char *const *argv)
{
    for (; *argv; argv++) {
        bool plain = **argv && strspn(*argv, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                             "-_=+./,:@%") == strlen(*argv);
        fputs(plain ? "" : "'", stderr);
        for (const char *p = *argv; *p; p++)
            fputs(*p == '\'' ? "'\\''" : (char[]){*p, 0}, stderr);
        fprintf(stderr, "%s%s", plain ? "" : "'", argv[1] ? " " : "\n");
    }
}

static int run(struct list *out)
{
    const char *verbose = getenv("LANESCOPE_VERBOSE");
    if (verbose && *verbose && strcmp(verbose, "0"))
        print_command(out->v);
    fflush(NULL);
    execvp(out->v[0], out->v);
    int error = errno;
    message("%s: %s", out->v[0], strerror(error));
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static int help(void)
{
    fputs(
        "Usage: lanescope COMPILER [ARGUMENT...]\n"
        "Runs the compiler (hipcc, clang++, amdclang++, ...) so that HIP device code is instrumented.\n"
        "\n"
        "Each kernel is compiled twice: as it is, and as a clone with probes that `lanescope run` uses.\n"
        "A program that is not run by `lanescope run` behaves as if it had been compiled without it.\n"
        "Arguments, output and exit code are the compiler's. Commands that compile no device code are\n"
        "passed on unchanged, so it can stand where a build system wants its compiler.\n"
        "\n"
        "  --lanescope-help     this text\n"
        "  --lanescope-blocks   also put probes at the entries of basic blocks (handlers block_executions,\n"
        "                       block_timing, instruction_mix); =only: and none at memory accesses,\n"
        "                       which times need.\n"
        "                       In the environment: LANESCOPE_PROBE_BLOCKS=1 or only\n"
        "  LANESCOPE_VERBOSE=1  environment: print the command that is run\n",
        stdout);
    return EXIT_OK;
}

int lanescope_compile(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--lanescope-help"))
            return help();
    if (!take_own_options(&argc, argv))
        return EXIT_USAGE;
    struct list out = {0};
    struct command c = scan(argc, argv);
    add(&out, "%s", argv[0]);
    int major = c.hip ? llvm_major(argv[0]) : 0;
    if (c.hip && major > 0 && (c.sources || c.links)) {
        char *plugin = plugin_for(major);
        if (!plugin)
            return no_plugin(argv[0], major);
        add_plugin(&out, &c, plugin, major);
        free(plugin);
        int code = add_old_rocm(&out, &c, argv[0], major);
        if (code)
            return code;
    }
    add_arguments(&out, &c, argc, argv);
    return run(&out);
}
