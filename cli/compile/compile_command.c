/*
 * compile_command.c - which word is the compiler, and what its options and inputs ask for.
 *
 * Options are clang's (Options.td); hipcc takes them too, and says of C++ sources that they are HIP.
 */
#include "compile_command.h"
#include "common/command_words.h"
#include "common/names.h"
#include "cli/common/cli.h"
#include "cli/common/programs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the compiler's word ---- */

static bool is_one_of(const char *word, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(word, *names))
            return true;
    return false;
}

/* "clang++-19", "x86_64-linux-gnu-g++-12": a known name, with a target before it or a version behind it. */
static bool is_compiler(const char *word)
{
    static const char *const names[] = {
        "hipcc",     "hipcc.pl", "hipcc.bin", "clang",  "clang++",  "amdclang", "amdclang++",
        "gcc",       "g++",      "cc",        "c++",    "CC",       "c89",      "c99",
        "icx",       "icpx",     "icc",       "icpc",   "nvcc",     "nvc",      "nvc++",
        "mpicc",     "mpicxx",   "mpic++",    "mpiCC",  "gfortran", "flang",    "flang-new",
        "amdflang",  "f77",      "f90",       "f95",    "ftn",      "ifx",      "ifort",
        "nvfortran", "mpifort",  "mpif77",    "mpif90", "oshcc",    NULL};
    char base[256];
    if (strchr(word, '/') && access(word, X_OK))
        return false;
    if (snprintf(base, sizeof(base), "%s", ls_base_name(word)) >= (int)sizeof(base))
        return false;
    char *dash = strrchr(base, '-');
    if (dash && dash[1] && dash[1 + strspn(dash + 1, "0123456789.")] == 0)
        *dash = 0;
    dash = strrchr(base, '-');
    return is_one_of(base, names) || (dash && is_one_of(dash + 1, names));
}

/* Programs that start a compiler.
 * "lanescope" itself where a build system uses it as compiler and launcher. */
static bool is_launcher(const char *word)
{
    static const char *const names[] = {"ccache", "sccache", "distcc", "icecc", "lanescope", NULL};
    return is_one_of(ls_base_name(word), names);
}

static bool sets(const char *word)
{
    return word[0] != '-' && strchr(word, '=');
}

/* Any program may start the compiler that the next word names: "nice clang++", "env A=1 hipcc". */
static bool starts_compiler(int argc, char **argv)
{
    int i = 1;
    while (i < argc && sets(argv[i]))
        i++;
    return i < argc && is_compiler(argv[i]) && is_program(argv[0]);
}

int compiler_word(int argc, char **argv)
{
    int i = 0;
    if (argc > 0 && is_compiler(argv[0]))
        return 0;
    while (i < argc && (is_launcher(argv[i]) || starts_compiler(argc - i, argv + i) || (i && sets(argv[i]))))
        i++;
    return i < argc && is_compiler(argv[i]) ? i : -1;
}

/* Sources, objects and libraries, by the names that compilers of C and its like, Fortran, D and Rust know. */
static bool is_compilers_file(const char *arg)
{
    static const char *const endings[] = {
        "c",   "cc",  "cp",  "cpp", "cxx", "c++", "C",  "CPP", "i",   "ii",   "m",   "mm",  "s",
        "S",   "sx",  "f",   "for", "ftn", "fpp", "F",  "FOR", "FPP", "f77",  "f90", "f95", "f03",
        "f08", "F77", "F90", "F95", "F03", "F08", "cu", "cui", "hip", "hipi", "cl",  "d",   "rs",
        "o",   "obj", "lo",  "a",   "so",  "bc",  "ll", "h",   "hh",  "hpp",  "hxx", NULL};
    const char *dot = strrchr(ls_base_name(arg), '.');
    return arg[0] != '-' && dot && is_one_of(dot + 1, endings);
}

bool is_compilation(int argc, char **argv)
{
    static const char *const questions[] = {"--version",    "-dumpversion", "-dumpfullversion",
                                            "-dumpmachine", "-###",         NULL};
    if (argc < 1 || !is_program(argv[0]))
        return false;
    if (is_launcher(argv[0]) && (argc == 1 || argv[1][0] == '-'))
        return true;
    for (int i = 1; i < argc; i++)
        if (is_compilers_file(argv[i]) || is_one_of(argv[i], questions) || starts(argv[i], "-print-"))
            return true;
    return false;
}

/* ---- response files ---- */

char *read_text(const char *path)
{
    struct stat st;
    char *content = NULL;
    size_t capacity = 0;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *in = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
    if (in && getdelim(&content, &capacity, 0, in) < 0) {
        free(content);
        content = NULL;
    }
    if (in)
        fclose(in);
    else if (fd >= 0)
        close(fd);
    return content;
}

/* All that comes out of a pipe, in a file without a name that the compiler inherits. -1: it cannot be had. */
static int kept_pipe(const char *path)
{
    char buffer[4096];
    ssize_t n = -1;
    int from = open(path, O_RDONLY | O_CLOEXEC), to = from < 0 ? -1 : memfd_create("response file", 0);
    while (to >= 0 && (n = read(from, buffer, sizeof buffer)) > 0 && write(to, buffer, (size_t)n) == n)
        ;
    if (from >= 0)
        close(from);
    if (to >= 0 && n) {
        close(to);
        to = -1;
    }
    return to;
}

void keep_pipes(int argc, char **argv)
{
    struct stat st;
    for (int i = 1; i < argc; i++) {
        int fd = argv[i][0] == '@' && !stat(argv[i] + 1, &st) && S_ISFIFO(st.st_mode) ? kept_pipe(argv[i] + 1)
                                                                                      : -1;
        if (fd >= 0)
            argv[i] = text("@/proc/self/fd/%d", fd);
    }
}

static void expand(struct arguments *out, int argc, char **argv, int depth);

/* Response files may name others. A file that names itself ends somewhere, too. */
static bool expand_file(struct arguments *out, const char *arg, int depth)
{
    char *content = arg[0] == '@' && depth < 8 ? read_text(arg + 1) : NULL, *rest = content;
    if (!content)
        return false;
    for (char *word; (word = ls_next_word(&rest));)
        expand(out, 1, &word, depth + 1);
    free(content);
    return true;
}

static void expand(struct arguments *out, int argc, char **argv, int depth)
{
    for (int i = 0; i < argc; i++)
        if (!expand_file(out, argv[i], depth))
            add_argument(out, "%s", argv[i]);
}

/* ---- options and inputs ---- */

/* Sources that clang takes for C++ or CUDA, and hipcc for HIP. */
static bool is_cxx(const char *arg)
{
    static const char *const kinds[] = {".cpp", ".cc", ".cxx", ".c++", ".C", ".cu"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (ends(arg, kinds[i]))
            return true;
    return false;
}

/* Options that take the next argument, which is no input then. */
static const char *const taking_next[] = {"-o",
                                          "--output",
                                          "-I",
                                          "-D",
                                          "-U",
                                          "-L",
                                          "-l",
                                          "-B",
                                          "-F",
                                          "-T",
                                          "-u",
                                          "-z",
                                          "-e",
                                          "-t",
                                          "-A",
                                          "-G",
                                          "-MF",
                                          "-MT",
                                          "-MQ",
                                          "-MJ",
                                          "-include",
                                          "--include",
                                          "-imacros",
                                          "--imacros",
                                          "-isystem",
                                          "-isystem-after",
                                          "-idirafter",
                                          "-iquote",
                                          "-iprefix",
                                          "-iwithprefix",
                                          "-iwithprefixbefore",
                                          "-isysroot",
                                          "--sysroot",
                                          "-iwithsysroot",
                                          "-iframework",
                                          "-iframeworkwithsysroot",
                                          "-imultilib",
                                          "-ivfsoverlay",
                                          "--vfsoverlay",
                                          "-include-pch",
                                          "-cxx-isystem",
                                          "-stdlib++-isystem",
                                          "-resource-dir",
                                          "-working-directory",
                                          "-rpath",
                                          "-Xanalyzer",
                                          "-Xassembler",
                                          "-Xclang",
                                          "-Xclangas",
                                          "-Xcuda-fatbinary",
                                          "-Xcuda-ptxas",
                                          "-Xlinker",
                                          "-Xoffload-linker",
                                          "-Xopenmp-target",
                                          "-Xpreprocessor",
                                          "-mllvm",
                                          "-mmlir",
                                          "-mthread-model",
                                          "-target",
                                          "-arch",
                                          "--param",
                                          "-dumpdir",
                                          "-dependency-dot",
                                          "-dependency-file",
                                          "-module-dependency-dir",
                                          "-serialize-diagnostics",
                                          "--serialize-diagnostics",
                                          "--analyzer-output",
                                          "-fdebug-compilation-dir",
                                          "-fmodules-user-build-path",
                                          "-ftrapv-handler",
                                          "-gen-cdb-fragment-path",
                                          "-ccc-gcc-name",
                                          "-ccc-install-dir",
                                          "-filelist",
                                          NULL};

static bool takes_next(const char *arg)
{
    return is_one_of(arg, taking_next) || starts(arg, "-Xarch_");
}

static bool stops_before_link(const char *arg)
{
    static const char *const options[] = {"-c",           "-S",         "-E", "-M", "-MM", "-fsyntax-only",
                                          "--precompile", "-emit-llvm", NULL};
    return is_one_of(arg, options);
}

/* Options that say what is offloaded; the rest of the command tells what to. */
struct offload {
    bool amd_arch, hip_link, openmp;
};

/* Options of debug information that leave out what the report is made of. */
static void scan_debug_parts(struct command *c, const char *arg)
{
    bool codeview = starts(arg, "-gcodeview");
    c->codeview |= codeview;
    c->no_columns |= codeview || !strcmp(arg, "-gsce") || !strcmp(arg, "-gno-column-info");
    c->no_inlined_lines |= !strcmp(arg, "-gno-inline-line-tables");
}

/* Of these options the last one counts; others that begin with -g say how, not whether. */
static void scan_debug(struct command *c, const char *arg)
{
    static const char *const none[] = {"-g0", "-ggdb0", NULL};
    static const char *const some[] = {"-g",
                                       "--debug",
                                       "-g1",
                                       "-g2",
                                       "-g3",
                                       "-ggdb",
                                       "-ggdb1",
                                       "-ggdb2",
                                       "-ggdb3",
                                       "-glldb",
                                       "-gsce",
                                       "-gcodeview",
                                       "-gdbx",
                                       "-gdwarf",
                                       "-gdwarf-2",
                                       "-gdwarf-3",
                                       "-gdwarf-4",
                                       "-gdwarf-5",
                                       "-gdwarf-6",
                                       "-gdwarf32",
                                       "-gdwarf64",
                                       "-gfull",
                                       "-gused",
                                       "-gmodules",
                                       "-gmlt",
                                       "-gline-tables-only",
                                       "-gline-directives-only",
                                       NULL};
    scan_debug_parts(c, arg);
    if (is_one_of(arg, some))
        c->debug = DEBUG_SOME;
    else if (is_one_of(arg, none))
        c->debug = DEBUG_NONE;
}

/* Clang's, and those that hipcc knew before. */
static bool names_gpu(const char *arg)
{
    static const char *const options[] = {
        "--offload-arch=", "--cuda-gpu-arch=", "--no-offload-arch=",  "--offload-targets=",
        "--offload=",      "--amdgpu-target=", "--offload-host-only", "--cuda-host-only"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (starts(arg, options[i]))
            return true;
    return false;
}

/* With one of these the compiler proper that generates code may be no process of its own, or reads what another has made of the
 * source. */
static bool hides_folders(const char *arg)
{
    static const char *const options[] = {
        "--cuda-device-only",  "--offload-device-only", "--genco",           "-no-integrated-cpp",
        "--no-integrated-cpp", "-traditional-cpp",      "--traditional-cpp", NULL};
    return is_one_of(arg, options) || starts(arg, "-save-temps") || starts(arg, "--save-temps") ||
           starts(arg, "-fembed-bitcode");
}

static void scan_option(struct command *c, struct offload *o, const char *arg)
{
    scan_debug(c, arg);
    c->hides_folders |= hides_folders(arg);
    c->arch |= names_gpu(arg);
    if (starts(arg, "--offload-arch=") || starts(arg, "--cuda-gpu-arch=")) {
        o->amd_arch |= !starts(strchr(arg, '=') + 1, "sm_"); /* those are NVIDIA's */
        c->spirv |= strstr(arg, "amdgcnspirv") != NULL;
        c->generic |= strstr(arg, "-generic") != NULL;
    } else if (!strcmp(arg, "--hip-link"))
        o->hip_link = true;
    else if (starts(arg, "-fopenmp"))
        o->openmp = true;
    else if (!strcmp(arg, "-fgpu-rdc") || !strcmp(arg, "-fno-gpu-rdc"))
        c->rdc = arg[2] == 'g';
    else if (stops_before_link(arg))
        c->links = false;
    else if (starts(arg, "--rocm-path="))
        c->rocm_path = text("%s", strchr(arg, '=') + 1);
    else if (starts(arg, "--rocm-device-lib-path=") || starts(arg, "--hip-device-lib-path="))
        c->device_libs = text("%s", strchr(arg, '=') + 1);
    else if (starts(arg, "-mcode-object-version") || starts(arg, "-mcode-object-v"))
        c->code_object = true;
}

/* -x at v[*i], whose value may be the next argument. The language, NULL when `-x none` ends it; false: not
 * -x. */
static bool takes_language(char **v, int n, int *i, const char **language)
{
    const char *value;
    if (!strcmp(v[*i], "-x"))
        value = *i + 1 < n ? v[++*i] : "";
    else if (starts(v[*i], "-x"))
        value = v[*i] + 2;
    else if (starts(v[*i], "--language="))
        value = strchr(v[*i], '=') + 1;
    else
        return false;
    *language = strcmp(value, "none") ? value : NULL;
    return true;
}

static bool is_input(const struct command *c, const char *arg)
{
    return c->ends || arg[0] != '-' || !arg[1];
}

static void scan_words(struct command *c, bool hipcc, int n, char **v)
{
    struct offload o = {0};
    const char *language = NULL;
    bool inputs = false, cxx = false;
    for (int i = 1; i < n; i++) {
        if (!c->ends && takes_language(v, n, &i, &language))
            continue;
        if (!c->ends && takes_next(v[i])) {
            if (i + 1 < n && starts(v[i], "-Xarch_") && strcmp(v[i], "-Xarch_host"))
                scan_debug(c, v[i + 1]);
            i++;
        } else if (!c->ends && !strcmp(v[i], "--")) {
            c->ends = true;
        } else if (!is_input(c, v[i])) {
            scan_option(c, &o, v[i]);
        } else {
            inputs = true;
            c->sources |= language ? starts(language, "hip") : ends(v[i], ".hip") || ends(v[i], ".hipi");
            c->hides_folders |= language ? !strcmp(language, "hip-cpp-output") : ends(v[i], ".hipi");
            cxx |= !language && is_cxx(v[i]);
        }
    }
    c->links &= inputs;
    c->marks = !hipcc && cxx && o.amd_arch && !o.hip_link && !o.openmp;
    c->sources |= c->marks || (hipcc && cxx);
    c->device = c->sources || (c->links && (hipcc || o.hip_link || (o.amd_arch && !o.openmp)));
}

/* What is added to the options where only the compiler sees it. */
static bool environment_hides_folders(void)
{
    const char *appended = getenv("HIPCC_COMPILE_FLAGS_APPEND");
    char *words = text("%s", appended ? appended : ""), *rest = words;
    bool hides = getenv("CCC_OVERRIDE_OPTIONS");
    for (const char *word; (word = ls_next_word(&rest));)
        hides |= hides_folders(word);
    free(words);
    return hides;
}

struct command scan_command(int argc, char **argv)
{
    struct command c = {.links = true};
    struct arguments words = {0};
    expand(&words, argc, argv, 0);
    scan_words(&c, starts(ls_base_name(argv[0]), "hipcc"), (int)words.n, words.v);
    c.hides_folders |= environment_hides_folders();
    const char *hipcc_target = getenv("HCC_AMDGPU_TARGET"); /* hipcc.pl */
    if (starts(ls_base_name(argv[0]), "hipcc"))
        c.arch |= hipcc_target && *hipcc_target;
    if (!c.rocm_path)
        c.rocm_path = getenv("ROCM_PATH");
    if (!c.device_libs)
        c.device_libs = getenv("HIP_DEVICE_LIB_PATH");
    return c;
}

/* ---- the command as run ---- */

/* Marks the source as HIP, if it is to be. Returns whether marks are in force then. */
static bool add_input(struct arguments *out, const char *path, bool hip, bool marked)
{
    if (hip != marked) {
        add_argument(out, "-x");
        add_argument(out, "%s", hip ? "hip" : "none");
    }
    add_argument(out, "%s%s", path[0] == '-' && path[1] ? "./" : "", path);
    return hip;
}

/* Response files give way to their words then: a source in one could not be marked otherwise. A mark ends
 * before the next input that is none of ours, as clang warns of an end that nothing follows. No option can
 * follow a "--", so that is left out. */
static void add_words(struct arguments *out, const struct command *c, int n, char **v)
{
    const char *language = NULL;
    bool marked = false, ended = false;
    for (int i = 1; i < n; i++) {
        int first = i;
        if (!ended && takes_language(v, n, &i, &language))
            marked = false;
        else if (!ended && takes_next(v[i]) && i + 1 < n)
            i++;
        else if (!ended && !strcmp(v[i], "--")) {
            ended = true;
            continue;
        } else if (ended || v[i][0] != '-' || !v[i][1]) {
            marked = add_input(out, v[i], c->marks && !language && is_cxx(v[i]), marked);
            continue;
        }
        for (int k = first; k <= i; k++)
            add_argument(out, "%s", v[k]);
    }
}

void add_command(struct arguments *out, const struct command *c, int argc, char **argv)
{
    struct arguments words = {0};
    if (c->marks || c->ends) {
        expand(&words, argc, argv, 0);
        add_words(out, c, (int)words.n, words.v);
    } else {
        for (int i = 1; i < argc; i++)
            add_argument(out, "%s", argv[i]);
    }
}
