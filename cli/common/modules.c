#include "modules.h"
#include "common/names.h"
#include "common/temporary.h"
#include "results/reader/arena.h"
#include "results/file/error_text.h"
#include "lanescope/handler.h"
#include "paths.h"
#include "safe_output.h"
#include "temporary.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* `counted`: the GPU counts accesses, and sends few. */
static const char *problem_of(const struct lanescope_handler *h, bool counted)
{
    if (!h)
        return "it exports no " LANESCOPE_HANDLER_SYMBOL;
    if (h->abi != LANESCOPE_HANDLER_ABI)
        return "it was built for another handler ABI";
    if (h->size < sizeof(*h) || !h->name)
        return "its handler structure is incomplete";
    return counted && !h->repeated ? "it needs every single access, which --summary-mode does not send"
                                   : NULL;
}

static void ask(struct module *m, const char *path)
{
    m->file = strdup(ls_base_name(path));
    m->file[strlen(m->file) - 3] = 0; /* .so */
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    const struct lanescope_handler *h = library ? dlsym(library, LANESCOPE_HANDLER_SYMBOL) : NULL;
    const char *problem = library ? problem_of(h, false) : dlerror();
    m->problem = problem ? strdup(problem) : NULL;
    m->name = strdup(!problem ? h->name : m->file);
    m->version = strdup(!problem && h->version ? h->version : "");
    m->description = strdup(!problem && h->description ? h->description : "");
    if (library)
        dlclose(library);
}

struct module *list_modules(size_t *n)
{
    struct module *list = NULL;
    glob_t g = {0};
    char *pattern = piece_path("handlers/*.so");
    *n = 0;
    if (pattern && !glob(pattern, 0, NULL, &g))
        for (size_t i = 0; i < g.gl_pathc; i++)
            ask(LS_PUSH(list, *n), g.gl_pathv[i]);
    globfree(&g);
    free(pattern);
    return list;
}

void free_modules(struct module *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(m[i].file);
        free(m[i].name);
        free(m[i].version);
        free(m[i].description);
        free(m[i].problem);
    }
    free(m);
}

/* ---- a host that only listens ---- */

struct asking {
    json_t *list;
    const char *handler;
    uint32_t count;
};

static void keep_metric(const struct asking *a, const char *name, const char *unit, const char *description,
                        bool ratio)
{
    json_array_append_new(a->list,
                          json_pack("{s:o, s:o, s:o, s:o, s:b}", "handler", json_text(a->handler), "name",
                                    json_text(name), "unit", json_text(unit ? unit : ""), "description",
                                    json_text(description ? description : ""), "ratio", ratio));
}

static uint32_t take_metric(const struct lanescope_host *h, const char *name, const char *unit,
                            const char *description)
{
    struct asking *a = h->user;
    keep_metric(a, name, unit, description, false);
    return ++a->count;
}

static int take_ratio(const struct lanescope_host *h, const struct lanescope_ratio *r)
{
    keep_metric(h->user, r->name, r->unit, r->description, true);
    return 0;
}

static void no_log(const struct lanescope_host *h, int level, const char *format, ...)
{
    (void)h, (void)level, (void)format;
}

static int no_view(const struct lanescope_host *h, const char *name, const struct lanescope_view *v)
{
    (void)h, (void)name, (void)v;
    return 0;
}

static int no_title(const struct lanescope_host *h, const char *title, const char *clean)
{
    (void)h, (void)title, (void)clean;
    return 0;
}

static struct lanescope_host host_of(struct asking *asking, void (*log)(const struct lanescope_host *h,
                                                                        int level, const char *format, ...))
{
    return (struct lanescope_host){.size = sizeof(struct lanescope_host),
                                   .abi = LANESCOPE_HANDLER_ABI,
                                   .user = asking,
                                   .log = log,
                                   .metric = take_metric,
                                   .ratio = take_ratio,
                                   .view = no_view,
                                   .title = no_title};
}

/* ---- one that is going to be used ---- */

#define FINE "+"

static char refusal[PIPE_BUF]; /* the first error that a handler told when it was opened */

static void keep_error(const struct lanescope_host *h, int level, const char *format, ...)
{
    (void)h;
    va_list list;
    va_start(list, format);
    if (level == LANESCOPE_LOG_ERROR && !*refusal)
        vsnprintf(refusal, sizeof refusal, format, list);
    va_end(list);
}

/* Whether it opens with these options; NULL: it does. In the current directory, for it may create files. */
static const char *open_problem(const struct lanescope_handler *h, const char *options)
{
    struct asking asking = {json_array(), h->name, 0};
    const struct lanescope_host host = host_of(&asking, keep_error);
    void *self = NULL;
    int rc = h->open ? h->open(&host, options, &self) : 0;
    static char text[sizeof refusal + 64];
    snprintf(text, sizeof text, "with these options it does not open: %s",
             *refusal ? refusal : strerror(-rc));
    if (!rc && h->close)
        h->close(self);
    return rc ? text : NULL;
}

/* What the tool library will find, as text on `out`. A handler's constructors may print; that is nobody's
 * output. `directory`: NULL, or where it is tried with its options. */
static void try_in_child(const char *path, const char *options, bool counted, const char *directory, int out)
{
    int null = open("/dev/null", O_RDWR);
    out = fcntl(out, F_DUPFD_CLOEXEC, 3); /* we may have been started without the first three */
    for (int fd = 0; null >= 0 && fd < 3; fd++)
        dup2(null, fd);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct lanescope_handler *h = library ? dlsym(library, LANESCOPE_HANDLER_SYMBOL) : NULL;
    const char *problem = library ? problem_of(h, counted) : dlerror();
    if (!problem && directory && !chdir(directory))
        problem = open_problem(h, options);
    if (!problem)
        problem = FINE;
    size_t n = strlen(problem); /* what a pipe takes at once, and is read */
    _exit(write(out, problem, n < PIPE_BUF ? n : PIPE_BUF) < 0);
}

/* Its status, when it has ended or was ended because it took too long (then *slow). A handler may hold back
 * SIGALRM, and leave behind processes that hold the pipe: neither is waited for. -1: unknown. */
static int wait_for_child(pid_t child, bool *slow)
{
    enum { SECONDS = 20, PAUSE_NS = 2000000 };
    struct timespec start, now;
    int status = 0;
    pid_t ended;
    clock_gettime(CLOCK_MONOTONIC, &start);
    *slow = false;
    while ((ended = waitpid(child, &status, *slow ? 0 : WNOHANG)) == 0) {
        nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
        *slow = now.tv_sec - start.tv_sec > SECONDS;
        if (*slow)
            kill(child, SIGKILL);
    }
    return ended == child ? status : -1;
}

char *module_problem(const char *path, const char *options, bool counted)
{
    char text[1024];
    /* A file that is named would be begun now, and a pipe's reader get two of them. */
    bool opens = *options && !strstr(options, "file="), slow = false;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    char *directory = opens ? temporary_directory("handler", NULL) : NULL;
    fflush(NULL);
    pid_t child = fork();
    if (!child)
        try_in_child(path, options, counted, directory, ends[1]);
    close(ends[1]);
    int status = child < 0 ? -1 : wait_for_child(child, &slow);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    ssize_t n = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    if (directory)
        ls_remove_folder(directory);
    free(directory);
    text[n > 0 ? n : 0] = 0;
    if (status == -1)
        return NULL;
    if (slow)
        return strdup("loading it takes too long");
    if (WIFSIGNALED(status))
        return ls_text("loading it ended with %s", strsignal(WTERMSIG(status)));
    if (n <= 0 || WEXITSTATUS(status))
        return ls_text("loading it ended the process with exit code %d", WEXITSTATUS(status));
    return strcmp(text, FINE) ? strdup(text) : NULL;
}

/* ---- metrics ---- */

static json_t *ask_metrics(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct lanescope_handler *h = library ? dlsym(library, LANESCOPE_HANDLER_SYMBOL) : NULL;
    if (!library || problem_of(h, false))
        return NULL;
    struct asking asking = {json_array(), h->name, 0};
    const struct lanescope_host host = host_of(&asking, no_log);
    void *self = NULL;
    if (h->open && h->open(&host, "", &self))
        return NULL;
    if (h->close)
        h->close(self);
    return asking.list;
}

/* What the child leaves in `out`. */
static void ask_in_child(const char *path, const char *dir, FILE *out)
{
    json_t *list = chdir(dir) ? NULL : ask_metrics(path);
    if (list)
        json_dumpf(list, out, JSON_COMPACT);
    fflush(out);
    _exit(0);
}

json_t *module_metrics(const char *file)
{
    static bool told; /* once for all handlers */
    char *dir = temporary_directory("handler", told ? NULL : "asking handlers for their metrics");
    char *path = ls_text("%s/handlers/%s.so", piece_directory(), file);
    int fd = memfd_create("metrics", MFD_CLOEXEC);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w+");
    if (fd >= 0 && !out)
        close(fd);
    json_t *list = NULL;
    told = told || !dir;
    if (path && out && dir) {
        int status;
        fflush(NULL);
        pid_t child = fork();
        if (!child)
            ask_in_child(path, dir, out);
        if (child > 0)
            waitpid(child, &status, 0);
        rewind(out);
        list = json_loadf(out, 0, NULL);
    }
    if (dir)
        ls_remove_folder(dir);
    free(dir);
    if (out)
        fclose(out);
    free(path);
    return list;
}
