/* findings.c - the files in which the software GPU leaves what its check found, read by `lanescope run
 * --check`. */
#include "cli/run/check_results.h"
#include "cli/common/temporary.h"
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

void message(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message(const char *format, ...)
{
    (void)format;
}
void message_free(char *text);
void message_free(char *text)
{
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct check_results c;
    char *directory = temporary_directory("fuzz", "the file"), path[512];
    if (!directory)
        abort();
    snprintf(path, sizeof path, "%s/1", directory);
    FILE *out = fopen(path, "w");
    if (!out || (size && fwrite(data, size, 1, out) != 1) || fclose(out))
        abort();
    check_results_read(&c, directory);
    check_results_errors(&c);
    check_results_free(&c);
    free(directory);
    return 0;
}
