#include "programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool can_be_run(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

char *program_path(const char *word)
{
    const char *set = getenv("PATH"), *path = set ? set : "/bin:/usr/bin"; /* as execvp */
    if (strchr(word, '/'))
        return can_be_run(word) ? strdup(word) : NULL;
    for (size_t n; *word && *path; path += n + (path[n] == ':')) {
        char *whole = NULL;
        n = strcspn(path, ":");
        if (asprintf(&whole, "%.*s/%s", n ? (int)n : 1, n ? path : ".", word) < 0)
            return NULL;
        if (can_be_run(whole))
            return whole;
        free(whole);
    }
    return NULL;
}

bool is_program(const char *word)
{
    char *path = program_path(word);
    free(path);
    return path != NULL;
}
