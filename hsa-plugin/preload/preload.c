/*
 * preload.c - liblanescope-preload.so: calls the tool library before the process is gone, whichever way it
 * goes.
 *
 * exit() and returning from main run this library's destructor: preloaded libraries come right behind the
 * program in the loader's list, so that it runs after the program's own destructors and before those of HIP
 * and ROCr. _exit, _Exit, daemon and the exec family run no destructors: they are hooked. quick_exit runs
 * what at_quick_exit took. A child between vfork and exec shares our memory; the tool library compares
 * process ids.
 */
#include "preload.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

static _Atomic(void (*)(void)) finish;

static void call_finish(void)
{
    void (*f)(void) = atomic_load(&finish);
    if (f)
        f();
}

PUBLIC void lanescope_preload_register(void (*f)(void))
{
    static atomic_flag registered = ATOMIC_FLAG_INIT;
    atomic_store(&finish, f);
    if (f && !atomic_flag_test_and_set(&registered))
        at_quick_exit(call_finish);
}

__attribute__((destructor)) static void at_end(void)
{
    call_finish();
}

/* The next definition of a function that we hook. */
#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

PUBLIC _Noreturn void _exit(int status)
{
    call_finish();
    for (;;)
        syscall(SYS_exit_group, status);
}

PUBLIC _Noreturn void _Exit(int status)
{
    _exit(status);
}

/* Its parent ends inside the C library. What has been recorded is the parent's. */
PUBLIC int daemon(int keep_directory, int keep_output)
{
    call_finish();
    return NEXT(daemon)(keep_directory, keep_output);
}

PUBLIC int execve(const char *path, char *const argv[], char *const envp[])
{
    call_finish();
    return NEXT(execve)(path, argv, envp);
}

PUBLIC int execv(const char *path, char *const argv[])
{
    call_finish();
    return NEXT(execv)(path, argv);
}

PUBLIC int execvp(const char *file, char *const argv[])
{
    call_finish();
    return NEXT(execvp)(file, argv);
}

PUBLIC int execvpe(const char *file, char *const argv[], char *const envp[])
{
    call_finish();
    return NEXT(execvpe)(file, argv, envp);
}

PUBLIC int fexecve(int fd, char *const argv[], char *const envp[])
{
    call_finish();
    return NEXT(fexecve)(fd, argv, envp);
}

/* Copies a list of arguments that ends with NULL onto the stack, as glibc does. */
#define COLLECT(first, ap, argv)                                                                             \
    size_t n_ = 1;                                                                                           \
    va_start(ap, first);                                                                                     \
    for (const char *s_ = first; s_; s_ = va_arg(ap, const char *))                                          \
        n_++;                                                                                                \
    va_end(ap);                                                                                              \
    char *argv[n_];                                                                                          \
    argv[0] = (char *)(uintptr_t)first;                                                                      \
    va_start(ap, first);                                                                                     \
    for (size_t i_ = 1; i_ < n_; i_++)                                                                       \
    argv[i_] = va_arg(ap, char *)

PUBLIC int execl(const char *path, const char *arg, ...)
{
    va_list ap;
    COLLECT(arg, ap, argv);
    va_end(ap);
    return execv(path, argv);
}

PUBLIC int execlp(const char *file, const char *arg, ...)
{
    va_list ap;
    COLLECT(arg, ap, argv);
    va_end(ap);
    return execvp(file, argv);
}

PUBLIC int execle(const char *path, const char *arg, ...)
{
    va_list ap;
    COLLECT(arg, ap, argv);
    char *const *envp = va_arg(ap, char *const *);
    va_end(ap);
    return execve(path, argv, envp);
}
