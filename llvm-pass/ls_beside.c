/*
 * ls_beside.c - code generation of clones in a second process, beside that of the program.
 *
 *   clang -cc1 ... -o x.o
 *     the plugin has made the clones
 *     fork:  the child keeps the clones and writes their object into memory
 *            the compiler goes on with the program alone and writes x.o
 *     exit:  lld -r puts the clones' object behind what x.o has
 *
 * Half of what many small kernels take with Lanescope is code generation for their clones.
 */
#include "common/machine_code.h"
#include "ls_command.h"
#include "ls_pass.h"
#include "settings/table.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

/* What waits for the end of this process. */
static struct {
    pid_t child;
    int object; /* the clones', in memory */
    char output[PATH_MAX], linker[PATH_MAX];
} beside;

/* Fills the path of what this compiler writes if that is an object of one HIP file for the GPU, and no other file. */
static bool find_output(char output[PATH_MAX])
{
    struct ls_command c = ls_read_command();
    const char *path = ls_word_behind(&c, "-o");
    const bool found = ls_has_word(&c, "-emit-obj") && ls_has_word(&c, "-fcuda-is-device") &&
                       !ls_has_word(&c, "-opt-record-file") && !ls_has_word(&c, "-split-dwarf-output") &&
                       path && strcmp(path, "-") != 0 && strlen(path) < PATH_MAX;
    if (found)
        strcpy(output, path);
    ls_free_command(&c);
    return found;
}

/* The linker of this compiler. */
static bool find_linker(char linker[PATH_MAX])
{
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = 0;
    return (size_t)snprintf(linker, PATH_MAX, "%s/lld", dirname(self)) < PATH_MAX &&
           access(linker, X_OK) == 0;
}

/* The program is what it is without them, and runs its original kernels. */
static void do_without(const char *why)
{
    ls_complain("%s: kernels stay uninstrumented: their clones' code is made in a second process, and %s",
                beside.output, why);
}

/* Whether the child, or the linker, did its work. */
static bool ended_well(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void link_both(const char *both)
{
    char clones[32];
    snprintf(clones, sizeof clones, "/proc/self/fd/%d", beside.object);
    execl(beside.linker, beside.linker, "-flavor", "gnu", "-r", "-o", both, beside.output, clones,
          (char *)NULL);
    _exit(127);
}

/* When the compiler ends. */
static void finish(void)
{
    char both[PATH_MAX + 16];
    if (!ls_is_machine_code(beside.output)) { /* it failed, and has said why */
        kill(beside.child, SIGKILL);
        ended_well(beside.child);
        return;
    }
    if (!ended_well(beside.child)) {
        do_without("that failed");
        return;
    }
    snprintf(both, sizeof both, "%s.both", beside.output);
    const pid_t linker = fork();
    if (linker == 0)
        link_both(both);
    const bool linked = linker > 0 && ended_well(linker);
    if (!linked || rename(both, beside.output) != 0) {
        do_without(linked ? strerror(errno) : "the linker failed to add it");
        unlink(both);
    }
}

static void generate(struct ls_module *m, struct ls_parts *parts)
{
    for (int s = 1; s < NSIG; s++) /* the compiler's handlers remove the files that its own process writes */
        signal(s, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    ls_keep_clones(parts, m->module);
    ls_spare_clones(m->module, m->many);
    _exit(ls_write_object(m->module, m->compiler, beside.object) ? 0 : 1);
}

/* Below them, a second process and the linker take what they save. */
enum { MANY_SITES = 4 * LS_MANY_KERNELS };

static bool is_worth_it(const struct ls_module *m)
{
    cpu_set_t cores;
    const bool alone = sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) == 1;
    return m->beside == LS_BESIDE_ALWAYS ||
           (m->beside == LS_BESIDE_ON && !alone && (m->many || m->table.sites.n >= MANY_SITES));
}

bool ls_generate_beside(struct ls_module *m)
{
    if (!is_worth_it(m) || !ls_knows_machine(m->compiler) || !find_output(beside.output) ||
        !find_linker(beside.linker))
        return false;
    struct ls_parts *parts = ls_find_parts(m->module);
    if (!parts)
        return false;
    beside.object = memfd_create("lanescope clones", 0);
    beside.child = beside.object < 0 ? -1 : fork();
    if (beside.child == 0)
        generate(m, parts);
    if (beside.child > 0 && atexit(finish) == 0)
        ls_keep_program(parts, m->module, m->manager);
    ls_free_parts(parts);
    return beside.child > 0;
}
