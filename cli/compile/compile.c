/*
 * compile.c - runs a compiler so that device code is instrumented.
 *
 * What is added: the plugin of the compiler's LLVM version, for the device side only; line tables for device
 * code (not the host's); and, where a new clang meets a ROCm that is too old for it, what the two lack
 * (old_rocm.c). A command that compiles no device code of HIP is passed on as it is.
 */
#include "compile.h"
#include "cli/common/cli.h"
#include "compile_command.h"
#include "compiler.h"
#include "known_compilers.h"
#include "old_rocm.h"
#include "cli/common/paths.h"
#include "cli/common/programs.h"
#include "common/names.h"
#include "settings/table.h"
#include "system_folders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- our own options ---- */

/* What the plugin is to do is asked for in the environment, which reaches the compiler's own children and the linker. 1:
 * it was our option, -1: it was ours and is wrong. */
static int ask_for(enum setting_id id, const char *value)
{
    if (!setenv(settings[id].env, value, 1))
        return 1;
    message("out of memory");
    return -1;
}

static int take_blocks(const char *arg, const char *value)
{
    if (!*value || !strcmp(value, "=only"))
        return ask_for(SET_PROBE_BLOCKS, *value ? "only" : "true");
    message("%s: --lanescope-blocks or --lanescope-blocks=only is expected", arg);
    return -1;
}

static int take_kernels(const char *arg, const char *value)
{
    char *normal = NULL;
    const char *wrong = *value != '=' || !value[1] ? "a regular expression behind = is expected"
                                                   : setting_check(SET_PROBE_KERNELS, value + 1, &normal);
    free(normal);
    if (!wrong)
        return ask_for(SET_PROBE_KERNELS, value + 1);
    message("%s: %s", arg, wrong);
    return -1;
}

static int take_own_option(const char *arg)
{
    static const struct {
        const char *name;
        int (*take)(const char *arg, const char *value);
    } own[] = {{"--lanescope-blocks", take_blocks}, {"--lanescope-kernels", take_kernels}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (starts(arg, own[i].name))
            return own[i].take(arg, arg + strlen(own[i].name));
    return 0;
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

/* ---- the plugin ---- */

/* Launchers may compile what they have preprocessed, of which the compiler proper does not see where it came from. ccache does so when
 * it is told to. */
static bool preprocesses(int word, char **argv)
{
    static const char *const launchers[] = {"sccache", "distcc", "icecc"};
    if (getenv("CCACHE_NOCPP2") || getenv("CCACHE_PREFIX"))
        return true;
    for (int i = 0; i < word; i++)
        for (size_t k = 0; k < sizeof launchers / sizeof *launchers; k++)
            if (!strcmp(ls_base_name(argv[i]), launchers[k]))
                return true;
    return false;
}

/* Whether the plugin finds no folders of system headers in its own command: neither does lld, where device code is optimised
 * with -fgpu-rdc. */
static bool needs_folders(const struct command *c)
{
    return c->sources && (c->hides_folders || (c->rdc && c->links));
}

/* The major version of the compiler's LLVM. Sources are compiled by its own account of the command, if it is asked:
 * that also tells which headers are not the user's own. They go to the plugin in the environment, which
 * reaches the compiler's own children. */
static int ask_compiler(const struct command *c, int argc, char **argv)
{
    int major = needs_folders(c) ? 0 : known_major(argv[0]);
    if (major > 0)
        return major;
    struct arguments asked = {0};
    add_argument(&asked, "%s", argv[0]);
    add_command(&asked, c, argc, argv);
    struct account a = c->sources ? ask_for_account(asked.v) : (struct account){0};
    if (a.folders && setenv("LANESCOPE_SYSTEM_FOLDERS", a.folders, 1)) {
        message("out of memory");
        exit(EXIT_FAILED);
    }
    if (a.proper)
        keep_major(argv[0], a.major, a.proper);
    free(a.proper);
    free(a.folders);
    return a.major > 0 ? a.major : llvm_major(argv[0]);
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

/*
 * A compiler cache between us and the compiler sees the command line, but neither what is in the plugin nor
 * how many probes the environment asks for. These variables are ccache's (ccache(1)).
 */
static void tell_cache(const char *plugin)
{
    static const struct {
        const char *name;
        enum setting_id id;
    } told[] = {{"blocks", SET_PROBE_BLOCKS}, {"kernels", SET_PROBE_KERNELS}};
    const char *files = getenv("CCACHE_EXTRAFILES");
    char *all = text("%s%s%s", files ? files : "", files ? ":" : "", plugin);
    setenv("CCACHE_EXTRAFILES", all, 1);
    free(all);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const char *space = getenv("CCACHE_NAMESPACE"), *value = setting_text(told[i].id);
        if (!strcmp(value, settings[told[i].id].fallback))
            continue;
        all = text("%s lanescope-%s=%s", space ? space : "", told[i].name, value);
        setenv("CCACHE_NAMESPACE", all, 1);
        free(all);
    }
}

/* ---- what is added ---- */

static void add_for_device(struct arguments *out, const char *option)
{
    add_argument(out, "-Xarch_device");
    add_argument(out, "%s", option);
}

static void add_plugin(struct arguments *out, const struct command *c, const char *plugin, int major)
{
    if (!c->rdc) {
        if (c->sources) {
            add_argument(out, "-Xarch_device");
            add_argument(out, "-fpass-plugin=%s", plugin);
        }
    } else if (c->links) {
        /* All device code of the program is optimised here, so calls between files are seen. */
        add_argument(out, "-Xoffload-linker");
        add_argument(out, "--load-pass-plugin=%s", plugin);
        /* Debian's clang-N finds the lld of the default LLVM, which cannot read newer bitcode. */
        if (readable("/usr/lib/llvm-%d/bin/lld", major))
            add_argument(out, "-B/usr/lib/llvm-%d/bin", major);
    }
    /* Not without need: beside options for fewer debug information it stands for all. */
    if (c->codeview && c->sources)
        add_for_device(out, "-gdwarf");
    if (c->debug == DEBUG_DEFAULT && c->sources)
        add_for_device(out, "-gline-tables-only");
}

/* Of -g options the last one counts, also of those that say how: ours follow those that ask for no lines, no
 * columns (as -gcodeview and -gsce do) and no lines of inlined calls, and are not there without need, as one alone
 * stands for all debug information. */
static void add_behind(struct arguments *out, const struct command *c)
{
    bool how = c->no_columns || c->no_inlined_lines;
    if (!c->sources || (c->debug != DEBUG_NONE && !how))
        return;
    add_argument(out, "--start-no-unused-arguments");
    if (c->no_columns)
        add_for_device(out, "-gcolumn-info");
    if (c->no_inlined_lines)
        add_for_device(out, "-ginline-line-tables");
    if (c->debug != DEBUG_SOME)
        add_for_device(out, "-gline-tables-only");
    add_argument(out, "--end-no-unused-arguments");
}

/* Without one, clang takes a GPU that hardly anybody has, and hipcc asks a machine that has none. */
static void add_gpu(struct arguments *out, const struct command *c, const char *(*ask)(void))
{
    bool wanted = ask && !c->arch && (c->sources || c->rdc);
    const char *gpu = wanted ? ask() : NULL;
    if (!gpu)
        return;
    message("no --offload-arch: compiling for %s, the GPU that `lanescope run` takes here", gpu);
    add_argument(out, "--offload-arch=%s", gpu);
}

/* The compiler does not warn of what it has no use for here (clang 15 warns of -Xoffload-linker even when it
 * uses it), only of the user's own arguments. 0, or an exit code after a message. */
static int add_ours(struct arguments *out, const struct command *c, const char *compiler, int major)
{
    char *plugin = plugin_for(major);
    if (!plugin)
        return no_plugin(compiler, major);
    add_argument(out, "--start-no-unused-arguments");
    add_plugin(out, c, plugin, major);
    int code = add_old_rocm(out, c, compiler, major);
    add_argument(out, "--end-no-unused-arguments");
    if (!code)
        tell_cache(plugin);
    free(plugin);
    return code;
}

/* ---- the command as run ---- */

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

static int run(char **argv)
{
    uint64_t verbose;
    char *wrong = NULL;
    if (!setting_read(SET_VERBOSE, &verbose, &wrong)) {
        message("%s", wrong ? wrong : "out of memory");
        free(wrong);
        return EXIT_USAGE;
    }
    if (verbose)
        print_command(argv);
    fflush(NULL);
    execvp(argv[0], argv);
    int error = errno;
    char *there = program_path(argv[0]); /* then it is its interpreter that is not */
    const bool rocm = !strncmp(argv[0], "hipcc", 5) || !strncmp(argv[0], "amdclang", 8);
    if (error == ENOENT && !there && !strchr(argv[0], '/'))
        message("%s: program not found in PATH%s", argv[0],
                rocm
                    ? "; ROCm's compilers are in /opt/rocm/bin, Debian's hipcc is in the package of that name"
                    : "");
    else
        message("%s: %s", there ? there : argv[0], strerror(error));
    free(there);
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
        "Arguments, output and exit code are the compiler's. Commands that compile no device code, and\n"
        "compilers that are not known, are passed on unchanged, so it can stand where a build system\n"
        "wants its compiler, and before other launchers: lanescope ccache hipcc ...\n"
        "\n"
        "  --lanescope-help     this text\n"
        "  --lanescope-blocks   also put probes at the entries of basic blocks (handlers block_executions,\n"
        "                       block_timing, instruction_mix); =only: and none at memory accesses,\n"
        "                       which times need.\n"
        "                       In the environment: LANESCOPE_PROBE_BLOCKS=true or only\n"
        "  --lanescope-kernels=REGEX\n"
        "                       put probes only into kernels whose demangled name matches: a program of\n"
        "                       very many kernels compiles faster then. The others run as they are, and\n"
        "                       `lanescope run` says that they were left out.\n"
        "                       In the environment: LANESCOPE_PROBE_KERNELS=REGEX\n"
        "  LANESCOPE_PROBE_BESIDE=false\n"
        "                       environment: large files take one process, not a second one beside it for\n"
        "                       the clones' machine code\n"
        "  LANESCOPE_VERBOSE=true\n"
        "                       environment: print the command that is run\n",
        stdout);
    return EXIT_OK;
}

/* hipcc looks for GPUs also where it links, in Python that writes half a page where there are none. Its own variable keeps
 * it from that; the command that it runs is the same (hipcc of ROCm 5.2.3, "HCC_AMDGPU_TARGET"). */
static void answer_hipcc(const struct command *c, const char *compiler, const char *(*ask)(void))
{
    bool asks = starts(ls_base_name(compiler), "hipcc") && c->links && !c->arch && !c->sources && !c->rdc;
    const char *gpu = ask && asks ? ask() : NULL;
    if (gpu)
        setenv("HCC_AMDGPU_TARGET", gpu, 0);
}

/* What is no compiler that we know may be one under another name. It is asked alone, as a program that starts
 * a compiler answers for itself then. */
static bool is_clang(const char *program)
{
    if (llvm_major(program) > 0)
        return true;
    message("%s: no compiler that is known to compile HIP, so it runs unchanged, without probes", program);
    return false;
}

int lanescope_compile(int argc, char **argv, const char *(*gpu)(void))
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--lanescope-help"))
            return help();
    if (!take_own_options(&argc, argv))
        return EXIT_USAGE;
    int word = compiler_word(argc, argv);
    bool known = word >= 0;
    if (!known)
        word = 0;
    keep_pipes(argc, argv);
    const char *compiler = argv[word];
    struct command c = scan_command(argc - word, argv + word);
    c.hides_folders |= preprocesses(word, argv);
    answer_hipcc(&c, compiler, gpu);
    int major = c.device && (known || is_clang(compiler)) ? ask_compiler(&c, argc - word, argv + word) : 0;
    if (major <= 0)
        return run(argv);
    if (c.spirv)
        message("amdgcnspirv: machine code is made of it when the program runs, and stays uninstrumented; "
                "name the GPU with --offload-arch");
    struct arguments out = {0};
    for (int i = 0; i <= word; i++)
        add_argument(&out, "%s", argv[i]);
    int code = add_ours(&out, &c, compiler, major);
    if (code)
        return code;
    add_gpu(&out, &c, gpu);
    add_command(&out, &c, argc - word, argv + word);
    add_behind(&out, &c);
    return run(out.v);
}
