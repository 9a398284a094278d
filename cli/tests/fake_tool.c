/* Stands in for the preloaded library: each process that loads it writes the sample recording to
 * LANESCOPE_OUTPUT when it ends, unless FAKE_TOOL says otherwise: "none" (no GPU used) or "killed" (leaves a
 * partial one). */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* %p and %h as the tool library expands them. */
static char *expanded(const char *pattern)
{
    char *text = NULL, host[64] = "";
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    gethostname(host, sizeof(host) - 1);
    for (const char *s = pattern; *s; s++) {
        if (s[0] == '%' && s[1] == 'p')
            fprintf(out, "%d", (int)getpid()), s++;
        else if (s[0] == '%' && s[1] == 'h')
            fputs(host, out), s++;
        else if (s[0] == '%' && s[1] == '%')
            fputc('%', out), s++;
        else
            fputc(*s, out);
    }
    fclose(out);
    return text;
}

__attribute__((constructor)) static void start(void)
{
    const char *mode = getenv("FAKE_TOOL"), *output = getenv("LANESCOPE_OUTPUT");
    if (!output || (mode && !strcmp(mode, "none")))
        return;
    char *path = expanded(output), source[512];
    snprintf(source, sizeof(source), "%s.hip", path);
    if (!mode || strcmp(mode, "killed")) {
        sample_write(path, source, getpid(), false);
    } else {
        char *error = NULL;
        const struct ls_db_process process = {.pid = getpid()};
        struct ls_db *db = ls_db_create(path, &process, &error);
        if (db)
            sample_fill(db, source);
    }
    free(path);
}
