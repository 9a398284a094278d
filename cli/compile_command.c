/*
 * compile_command.c - which word is the compiler, and what its options and inputs ask for.
 *
 * Options are clang's (Options.td); hipcc takes them too, and says of C++ sources that they are HIP.
 */
#include "compile_command.h"
#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
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
    static const char *const names[] = {"hipcc",      "hipcc.pl", "hipcc.bin", "clang", "clang++", "amdclang",
                                        "amdclang++", "gcc",      "g++",       "cc",    "c++",     "CC",
                                        "c89",        "c99",      "icx",       "icpx",  "nvcc",    "mpicc",
                                        "mpicxx",     "mpic++",   "mpiCC",     NULL};
    char base[256];
    if (strchr(word, '/') && access(word, X_OK))
        return false;
    if (snprintf(base, sizeof(base), "%s", base_name(word)) >= (int)sizeof(base))
        return false;
    char *dash = strrchr(base, '-');
    if (dash && dash[1] && dash[1 + strspn(dash + 1, "0123456789.")] == 0)
        *dash = 0;
    dash = strrchr(base, '-');
    return is_one_of(base, names) || (dash && is_one_of(dash + 1, names));
}

/* Programs that start a compiler. "lanescope" itself where a build system uses it as compiler and launcher.
 */
static bool is_launcher(const char *word)
{
    static const char *const names[] = {"ccache", "sccache", "distcc", "icecc", "lanescope", NULL};
    return is_one_of(base_name(word), names);
}

int compiler_word(int argc, char **argv)
{
    int i = 0;
    while (i < argc && (is_launcher(argv[i]) || (i && argv[i][0] != '-' && strchr(argv[i], '='))))
        i++;
    return i < argc && is_compiler(argv[i]) ? i : -1;
}

/* ---- response files ---- */

/* One word of a response file, in the way of GNU tools: white space separates, quotes and backslashes keep.
 * Overwrites the text with it. NULL: there are no more. */
static char *next_word(char **rest)
{
    char *in = *rest + strspn(*rest, " \t\r\n\f\v"), *out = in, *word = in, quote = 0;
    if (!*in)
        return NULL;
    for (; *in && (quote || !isspace((unsigned char)*in)); in++) {
        if (*in == '\\' && quote != '\'' && in[1])
            *out++ = *++in;
        else if (quote ? *in == quote : *in == '"' || *in == '\'')
            quote = quote ? 0 : *in;
        else
            *out++ = *in;
    }
    *rest = *in ? in + 1 : in;
    *out = 0;
    return word;
}

/* The file's text, malloc'd; NULL when it cannot be read, which is the compiler's to report. */
static char *read_text(const char *path)
{
    char *content = NULL;
    size_t capacity = 0;
    FILE *in = fopen(path, "r");
    if (in && getdelim(&content, &capacity, 0, in) < 0) {
        free(content);
        content = NULL;
    }
    if (in)
        fclose(in);
    return content;
}

static void expand(struct arguments *out, int argc, char **argv, int depth);

/* Response files may name others. A file that names itself ends somewhere, too. */
static bool expand_file(struct arguments *out, const char *arg, int depth)
{
    char *content = arg[0] == '@' && depth < 8 ? read_text(arg + 1) : NULL, *rest = content;
    if (!content)
        return false;
    for (char *word; (word = next_word(&rest));)
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

/* An option that takes the next argument, which is no input then. */
static bool takes_next(const char *arg)
{
    static const char *const options[] = {"-o",
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
                                          "-A",
                                          "-include",
                                          "-imacros",
                                          "-isystem",
                                          "-idirafter",
                                          "-iquote",
                                          "-iprefix",
                                          "-iwithprefix",
                                          "-isysroot",
                                          "-include-pch",
                                          "-Xclang",
                                          "-Xlinker",
                                          "-Xpreprocessor",
                                          "-Xassembler",
                                          "-Xoffload-linker",
                                          "-Xopenmp-target",
                                          "-mllvm",
                                          "-MF",
                                          "-MT",
                                          "-MQ",
                                          "-MJ",
                                          "-Xarch_device",
                                          "-Xarch_host",
                                          "-target",
                                          "-arch",
                                          "--param",
                                          "-dumpdir",
                                          NULL};
    return is_one_of(arg, options);
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

static void scan_option(struct command *c, struct offload *o, const char *arg)
{
    if (starts(arg, "--offload-arch=") || starts(arg, "--cuda-gpu-arch="))
        o->amd_arch |= !starts(strchr(arg, '=') + 1, "sm_"); /* those are NVIDIA's */
    else if (!strcmp(arg, "--hip-link"))
        o->hip_link = true;
    else if (starts(arg, "-fopenmp"))
        o->openmp = true;
    else if (!strcmp(arg, "-fgpu-rdc") || !strcmp(arg, "-fno-gpu-rdc"))
        c->rdc = arg[2] == 'g';
    else if (stops_before_link(arg))
        c->links = false;
    else if (starts(arg, "-g") && strcmp(arg, "-g0") && !starts(arg, "-gcc") && !starts(arg, "-gpu"))
        c->debug = true;
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

static void scan_words(struct command *c, bool hipcc, int n, char **v)
{
    struct offload o = {0};
    const char *language = NULL;
    bool inputs = false, cxx = false;
    for (int i = 1; i < n; i++) {
        if (takes_language(v, n, &i, &language))
            continue;
        if (takes_next(v[i])) {
            i++;
        } else if (v[i][0] == '-' && v[i][1]) {
            scan_option(c, &o, v[i]);
        } else {
            inputs = true;
            c->sources |= language ? starts(language, "hip") : ends(v[i], ".hip") || ends(v[i], ".hipi");
            cxx |= !language && is_cxx(v[i]);
        }
    }
    c->links &= inputs;
    c->marks = !hipcc && cxx && o.amd_arch && !o.hip_link && !o.openmp;
    c->sources |= c->marks || (hipcc && cxx);
    c->device = c->sources || (c->links && (hipcc || o.hip_link || (o.amd_arch && !o.openmp)));
}

struct command scan_command(int argc, char **argv)
{
    struct command c = {.links = true};
    struct arguments words = {0};
    expand(&words, argc, argv, 0);
    scan_words(&c, starts(base_name(argv[0]), "hipcc"), (int)words.n, words.v);
    if (!c.rocm_path)
        c.rocm_path = getenv("ROCM_PATH");
    if (!c.device_libs)
        c.device_libs = getenv("HIP_DEVICE_LIB_PATH");
    return c;
}

/* ---- the command as run ---- */

/* Marks the source as HIP. Returns whether marks are in force then. */
static bool add_input(struct arguments *out, const char *path, bool hip, bool marked)
{
    if (hip != marked) {
        add_argument(out, "-x");
        add_argument(out, "%s", hip ? "hip" : "none");
    }
    add_argument(out, "%s", path);
    return hip;
}

/* Response files give way to their words then: a source in one could not be marked otherwise. A mark ends
 * before the next input that is none of ours, as clang warns of an end that nothing follows. */
static void add_marked(struct arguments *out, int n, char **v)
{
    const char *language = NULL;
    bool marked = false;
    for (int i = 1; i < n; i++) {
        int first = i;
        if (takes_language(v, n, &i, &language))
            marked = false;
        else if (takes_next(v[i]) && i + 1 < n)
            i++;
        else if (!language && (v[i][0] != '-' || !v[i][1])) {
            marked = add_input(out, v[i], is_cxx(v[i]), marked);
            continue;
        }
        for (int k = first; k <= i; k++)
            add_argument(out, "%s", v[k]);
    }
}

void add_command(struct arguments *out, const struct command *c, int argc, char **argv)
{
    struct arguments words = {0};
    if (c->marks) {
        expand(&words, argc, argv, 0);
        add_marked(out, (int)words.n, words.v);
    } else {
        for (int i = 1; i < argc; i++)
            add_argument(out, "%s", argv[i]);
    }
}
