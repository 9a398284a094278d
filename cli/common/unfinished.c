/* unfinished.c - see unfinished.h. */
#include "unfinished.h"
#include "results/reader/arena.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

struct unfinished {
    struct unfinished *before; /* was added earlier */
    char *path;
};

static struct unfinished *volatile last;

static void on_interrupt(int number)
{
    for (struct unfinished *u = last; u; u = u->before)
        remove(u->path); /* unlink(2) or rmdir(2) */
    raise(number);       /* as without a handler, because that is gone (SA_RESETHAND) */
}

/* Also where files cannot grow (ulimit -f). */
static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
enum { INTERRUPTS = sizeof(interrupts) / sizeof(*interrupts) };

void unfinished_hold(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < INTERRUPTS; i++)
        sigaddset(&held, interrupts[i]);
    sigprocmask(SIG_BLOCK, &held, before);
}

static void catch_interrupts(void)
{
    for (size_t i = 0; i < INTERRUPTS; i++) {
        struct sigaction old, new = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
        if (!sigaction(interrupts[i], NULL, &old) && old.sa_handler == SIG_DFL)
            sigaction(interrupts[i], &new, NULL);
    }
}

void unfinished_add(const char *path, const sigset_t *before)
{
    struct unfinished *u = path ? ls_realloc(NULL, sizeof(*u)) : NULL;
    char *copy = u ? strdup(path) : NULL;
    if (copy) {
        *u = (struct unfinished){.before = last, .path = copy};
        last = u;
        catch_interrupts();
    } else {
        free(u); /* out of memory: it stays */
    }
    sigprocmask(SIG_SETMASK, before, NULL);
}

void unfinished_end(const char *path)
{
    sigset_t before;
    struct unfinished *behind = NULL, *u;
    unfinished_hold(&before); /* the handler goes through them */
    for (u = last; u && strcmp(u->path, path); u = u->before)
        behind = u;
    if (u && behind)
        behind->before = u->before;
    else if (u)
        last = u->before;
    if (u)
        free(u->path);
    free(u);
    sigprocmask(SIG_SETMASK, &before, NULL);
}
