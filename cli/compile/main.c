/*
 * main.c - `lanescope COMPILER ...` alone, for what the build itself compiles with the plugin: a change of
 * another verb makes none of it old. Not installed.
 */
#include "cli/common/cli.h"
#include "compile.h"
#include "cli/common/paths.h"

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
    return LANESCOPE_PIECES;
}

int main(int argc, char **argv)
{
    return argc > 1 ? lanescope_compile(argc - 1, argv + 1, NULL) : EXIT_USAGE;
}
