/*
 * device_waits.c - takes waits for stores out of the device library's assembly, where functions return.
 *
 *     device_waits IN OUT
 *
 * On gfx9 loads and stores are counted by one counter, and LLVM ends a function by a wait for all of them: so a probe waits
 * until the host's memory has its message, 1 us or more. Nobody needs that:
 *
 * - Who reads what a probe has stored is the host, and before it is told of a chunk the wavefront waits by itself
 *   (device-lib/chunk.h, release), or the same wavefront, whose accesses of one address take place in the order of the
 *   program (LLVM's AMDGPUUsage, memory models gfx90a and gfx942: no wait stands between them in any table).
 * - The caller's own waits for N operations still wait for theirs: operations end in the order in which they began, so
 *   those that are left of a probe, which are older, end before. (AMDGPUUsage, same place: "completion is reported to a
 *   wavefront in execution order".)
 * - What the program stored before a probe has arrived when the probe begins: at a function's beginning the wait stays, as
 *   arguments may still be on their way. So a fence behind a probe, before which LLVM takes nothing to be left,
 *   has nothing of the program's to wait for.
 *
 * A load that is left would overwrite what the caller puts into its register. So the wait goes only where each load has been
 * waited for, whatever the way to there.
 *
 * What an instruction does is read off its mnemonic, not asked of gcn's traits: the library is compiled for GPUs that gcn does not
 * decode, too (gfx906), and LLVM writes gfx11's own names, which gcn, where an operation has one name, does not know.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1024, LINES = 1 << 16 };

/* Does the text begin with one of these words? */
static bool begins(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (!strncmp(text, *words, strlen(*words)))
            return true;
    return false;
}

/* The instruction of a line; NULL: none. */
static const char *instruction(const char *line)
{
    return line[0] == '\t' && line[1] >= 'a' && line[1] <= 'z' ? line + 1 : NULL;
}

static bool gives_a_value(const char *text)
{
    static const char *const vector[] = {"global_", "flat_", "buffer_", "scratch_", NULL};
    return begins(text, vector) &&
           (strstr(text, "_load_") ||
            (strstr(text, "_atomic_") && (strstr(text, " glc") || strstr(text, " sc0"))));
}

static bool waits_for_loads(const char *text)
{
    static const char *const calls[] = {"s_swappc_b64", NULL}; /* functions begin by a wait for everything */
    return (!strncmp(text, "s_waitcnt ", 10) && strstr(text, "vmcnt(0)")) || begins(text, calls);
}

/* The line behind the label that a branch names; n: none of the function. */
static size_t target(char *const *lines, size_t n, const char *branch)
{
    const char *label = strrchr(branch, ' ');
    const size_t length = label ? strcspn(++label, " \n") : 0;
    for (size_t i = 0; length && i < n; i++)
        if (!strncmp(lines[i], label, length) && lines[i][length] == ':')
            return i;
    return n;
}

/* Marks a line as one to which loads are left on some way; whether it was not marked before. */
static bool mark(bool *left, size_t n, size_t i)
{
    const bool is_new = i < n && !left[i];
    if (is_new)
        left[i] = true;
    return is_new;
}

/* Before which of a function's lines loads may be left. */
static void find_left(char *const *lines, size_t n, bool *left)
{
    static const char *const branches[] = {"s_cbranch", "s_branch", NULL}, *const last[] = {"s_branch",
                                                                                            "s_setpc", NULL};
    memset(left, 0, n * sizeof *left);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < n; i++) {
            const char *text = instruction(lines[i]);
            const bool behind =
                text && waits_for_loads(text) ? false : left[i] || (text && gives_a_value(text));
            if (behind && !(text && begins(text, last)))
                again |= mark(left, n, i + 1);
            if (behind && text && begins(text, branches))
                again |= mark(left, n, target(lines, n, text));
        }
    }
}

static bool returns_behind(char *const *lines, size_t i, size_t n)
{
    return i + 1 < n && !strcmp(lines[i], "\ts_waitcnt vmcnt(0)\n") &&
           !strcmp(lines[i + 1], "\ts_setpc_b64 s[30:31]\n");
}

static void write_function(FILE *out, char *const *lines, size_t n)
{
    static bool left[LINES];
    find_left(lines, n, left);
    for (size_t i = 0; i < n; i++)
        if (left[i] || !returns_behind(lines, i, n))
            fputs(lines[i], out);
}

/* From one function's end to the next one's. */
static bool copy(FILE *in, FILE *out)
{
    static char *lines[LINES];
    static char line[LINE];
    size_t n = 0;
    while (fgets(line, sizeof line, in)) {
        if (n == LINES || !(lines[n++] = strdup(line)))
            return false;
        if (strncmp(line, ".Lfunc_end", 10))
            continue;
        write_function(out, lines, n);
        while (n)
            free(lines[--n]);
    }
    for (size_t i = 0; i < n; i++) {
        fputs(lines[i], out);
        free(lines[i]);
    }
    return !ferror(in);
}

int main(int argc, char **argv)
{
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL, *out = in ? fopen(argv[2], "w") : NULL;
    bool good = out && copy(in, out);
    if (in)
        fclose(in);
    if (out)
        good &= !fclose(out);
    if (!good)
        fprintf(stderr, "device_waits: usage: device_waits IN OUT\n");
    return !good;
}
