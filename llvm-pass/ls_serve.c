/*
 * ls_serve.c - the pass `lanescope-serve`: one compiler instruments many modules, so that not each waits for LLVM to start
 * (half of the time that a small module takes).
 *
 *   opt -mtriple=amdgcn-amd-amdhsa -mcpu=GPU -load-pass-plugin=... -passes=lanescope-serve -disable-output /dev/null
 *
 * with LANESCOPE_TARGET=GPU, a socket as standard input and a file as standard output. A request is a line with the number of
 * bytes of IR that lie at the file's start; the answer is a line, "made BYTES" or "failed BYTES", and that many bytes of
 * IR, or of what is wrong, lie there instead. Behind IR whose function LS_COLD_CODE has a stand-in, a byte 0 and what that
 * stands for. Complaints of the plugin go to standard error as ever. The first line of all, sent
 * when the server is ready, is "serving PID".
 *
 * The server is no child of the program that asks, which may wait for all of its own, and no member of its group, whose
 * signals are not for us. It ends when the other end of the socket is closed, whatever way the program ends.
 */
#include "ls_pass.h"

#include <errno.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTION = STDIN_FILENO, BOX = STDOUT_FILENO };

/* The number in the next line; false: the program has gone, or says something else. */
static bool next_request(size_t *bytes)
{
    char line[32];
    size_t n = 0;
    do {
        ssize_t got = recv(CONNECTION, line + n, 1, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != 1)
            return false;
    } while (line[n++] != '\n' && n < sizeof line);
    line[n - 1] = 0;
    char *end;
    *bytes = strtoull(line, &end, 10);
    return end > line && !*end;
}

static bool tell(const char *what, size_t number)
{
    char line[48];
    int n = snprintf(line, sizeof line, "%s %zu\n", what, number);
    return send(CONNECTION, line, (size_t)n, MSG_NOSIGNAL) == n;
}

/* The IR in the box, owned by the caller; NULL: it is shorter. */
static LLVMMemoryBufferRef take_request(size_t bytes)
{
    char *text = ls_realloc(NULL, bytes + 1);
    size_t n = 0;
    for (ssize_t got; n < bytes; n += (size_t)got)
        if ((got = pread(BOX, text + n, bytes - n, (off_t)n)) <= 0)
            break;
    LLVMMemoryBufferRef buffer =
        n == bytes ? LLVMCreateMemoryBufferWithMemoryRangeCopy(text, n, "<stdin>") : NULL;
    free(text);
    return buffer;
}

/* The text at that place of the box. */
static bool put(const char *text, size_t bytes, size_t at)
{
    size_t n = 0;
    for (ssize_t done; n < bytes; n += (size_t)done)
        if ((done = pwrite(BOX, text + n, bytes - n, (off_t)(at + n))) <= 0)
            return false;
    return true;
}

/* `apart`: what the IR's stand-in stands for; "": it has none. */
static bool answer(const char *what, const char *text, const char *apart)
{
    const size_t bytes = strlen(text), more = *apart ? strlen(apart) + 1 : 0;
    return !ftruncate(BOX, 0) && put(text, bytes, 0) && (!more || put(apart, more - 1, bytes + 1)) &&
           tell(what, bytes + more);
}

/* What opt does with -mcpu: functions that name no processor are for this one. */
static void name_processor(LLVMModuleRef module)
{
    const char *cpu = getenv("LANESCOPE_TARGET");
    for (LLVMValueRef f = LLVMGetFirstFunction(module); cpu && f; f = LLVMGetNextFunction(f))
        if (!LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "target-cpu", strlen("target-cpu")))
            LLVMAddTargetDependentFunctionAttr(f, "target-cpu", cpu);
}

/* Answers with the instrumented module, or with what is wrong with it. */
static bool instrument_one(LLVMModuleRef module, void *manager, const struct ls_compiler *compiler)
{
    char *message = NULL;
    name_processor(module);
    ls_run(module, manager, compiler);
    ls_forget_module(manager, module);
    bool wrong = LLVMVerifyModule(module, LLVMReturnStatusAction, &message);
    char *text = wrong ? NULL : LLVMPrintModuleToString(module);
    const char *apart = LLVMGetNamedFunction(module, LS_COLD_CODE) ? ls_cold_apart() : "";
    bool told = wrong ? answer("failed", message, "") : answer("made", text, apart);
    LLVMDisposeMessage(message);
    if (text)
        LLVMDisposeMessage(text);
    return told;
}

static bool serve_one(size_t bytes, void *manager, const struct ls_compiler *compiler)
{
    LLVMMemoryBufferRef request = take_request(bytes);
    if (!request)
        return answer("failed", "error: less IR than announced", "");
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module;
    char *message = NULL;
    bool told;
    if (LLVMParseIRInContext(context, request, &module, &message)) {
        told = answer("failed", message, "");
        LLVMDisposeMessage(message);
    } else {
        told = instrument_one(module, manager, compiler);
        LLVMDisposeModule(module);
    }
    LLVMContextDispose(context);
    return told;
}

/* Goes on as a process of its own; false: it cannot. */
static bool leave_the_program(void)
{
    pid_t pid = fork();
    if (pid > 0)
        _exit(0);
    return pid == 0 && setsid() >= 0;
}

bool ls_serve(LLVMModuleRef none, void *manager, const struct ls_compiler *compiler)
{
    (void)none;
    if (!leave_the_program()) {
        ls_complain("the server of instrumented modules cannot start: %s", strerror(errno));
        return false;
    }
    ls_keep_cold_apart();
    size_t bytes;
    bool open = tell("serving", (size_t)getpid());
    while (open && next_request(&bytes))
        open = serve_one(bytes, manager, compiler);
    _exit(0); /* nothing of LLVM's is worth being freed one by one */
}
