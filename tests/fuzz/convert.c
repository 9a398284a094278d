/* convert.c - a results database with wrong bytes, written in the forms of other tools. */
#include "cli/common/cli.h"
#include "cli/convert/forms.h"
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In place of cli/common/message.c: what is wrong with each file would hide what the fuzzer says. */
void message(const char *format, ...)
{
    (void)format;
}

void message_free(char *text)
{
    free(text);
}

bool terminal_is_capable(void)
{
    return false;
}

const char *nearest(const char *word, const char *const *words, size_t n)
{
    (void)word;
    (void)words;
    (void)n;
    return NULL;
}

int close_output(FILE *out, const char *path)
{
    (void)path;
    return fclose(out) ? EXIT_FAILED : EXIT_OK;
}

/* A folder of ours with one level of files. */
static void remove_all(const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char name[512];
        snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
        unlink(name);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        int (*write)(const struct conversion *c);
        const char *metric;
    } forms[] = {{convert_csv, NULL},        {convert_rocpd, NULL},
                 {convert_json, NULL},       {convert_pftrace, "Bank Conflict"},
                 {convert_speedscope, NULL}, {convert_folded, "Bank Conflict"}};
    static const char out[] = "convert.out"; /* in the build folder (run-one) */
    char database[128];
    char *databases[] = {database};
    snprintf(database, sizeof(database), "%s", fuzz_file(data, size));
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        forms[i].write(
            &(struct conversion){.databases = databases, .n = 1, .output = out, .metric = forms[i].metric});
        if (unlink(out))
            remove_all(out);
    }
    return 0;
}
