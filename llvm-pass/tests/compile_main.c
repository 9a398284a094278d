/* compile_main.c - `lanescope COMPILER ...` alone, so that the plugin's tests need no other verb. */
#include "../../cli/cli.h"
#include "../../cli/compile.h"
#include "../../cli/paths.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void message(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("lanescope: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

const char *piece_directory(void)
{
    return LANESCOPE_TEST_PIECES;
}

int main(int argc, char **argv)
{
    return argc > 1 ? lanescope_compile(argc - 1, argv + 1) : EXIT_USAGE;
}
