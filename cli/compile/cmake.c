/* cmake.c - the compiler that stands behind "lanescope" in a CMake project. */
#include "cmake.h"
#include "common/names.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool started_by_cmake(void)
{
    char path[64], exe[PATH_MAX];
    snprintf(path, sizeof(path), "/proc/%ld/exe", (long)getppid());
    ssize_t n = readlink(path, exe, sizeof(exe) - 1);
    exe[n > 0 ? n : 0] = 0;
    return starts(ls_base_name(exe), "cmake") || starts(ls_base_name(exe), "ccmake");
}

/* The texts in a file of CMake's process, such as its command line, each of which a zero byte ends. */
static struct arguments texts_of_cmake(const char *file)
{
    struct arguments texts = {0};
    char *path = text("/proc/%ld/%s", (long)getppid(), file), *one = NULL;
    size_t capacity = 0;
    FILE *in = fopen(path, "r");
    while (in && getdelim(&one, &capacity, 0, in) >= 0)
        add_argument(&texts, "%s", one);
    if (in)
        fclose(in);
    free(one);
    free(path);
    return texts;
}

static bool is_ours(const char *word)
{
    return !strcmp(ls_base_name(word), "lanescope");
}

/* Appends the words of `line` that follow ours. */
static bool words_after_ours(struct arguments *words, char *line)
{
    char *rest, *word = strtok_r(line, " \t", &rest);
    if (!word || !is_ours(word))
        return false;
    while ((word = strtok_r(NULL, " \t", &rest)))
        add_argument(words, "%s", word);
    return words->n > 0;
}

/* The value of `set(NAME "VALUE")` when the line is that; cut out of it. */
static char *set_value(char *line, const char *language, const char *suffix)
{
    char *name = text("set(CMAKE_%s_COMPILER%s \"", language, suffix), *value = line + strlen(name);
    bool is_it = starts(line, name);
    free(name);
    char *end = is_it ? strchr(value, '"') : NULL;
    if (!end)
        return NULL;
    *end = 0;
    return value;
}

/* What CMake found out about a compiler, CMakeFiles/VERSION/CMakeCXXCompiler.cmake: lines
 *   set(CMAKE_CXX_COMPILER "/usr/bin/lanescope")
 *   set(CMAKE_CXX_COMPILER_ARG1 " hipcc") */
static bool read_record(struct arguments *words, const char *path, const char *language)
{
    char *line = NULL, *all = NULL;
    size_t capacity = 0;
    FILE *in = fopen(path, "r");
    while (in && getline(&line, &capacity, in) >= 0) {
        char *value = set_value(line, language, "");
        if (value && !all)
            all = text("%s", value);
        value = set_value(line, language, "_ARG1");
        if (value && all) {
            char *both = text("%s %s", all, value);
            free(all);
            all = both;
        }
    }
    if (in)
        fclose(in);
    bool found = all && words_after_ours(words, all);
    free(all);
    free(line);
    return found;
}

static bool read_records(struct arguments *words, const char *build, const char *language)
{
    glob_t files;
    char *pattern = text("%s/CMakeFiles/*/CMake%sCompiler.cmake", build, language);
    bool found = false;
    if (!glob(pattern, 0, NULL, &files)) {
        for (size_t i = files.gl_pathc; !found && i > 0; i--)
            found = read_record(words, files.gl_pathv[i - 1], language);
        globfree(&files);
    }
    free(pattern);
    return found;
}

static const struct {
    const char *name, *variable;
} languages[] = {{"CXX", "CXX="}, {"HIP", "HIPCXX="}, {"C", "CC="}};
#define N_LANGUAGES (sizeof(languages) / sizeof(*languages))

static bool read_all_records(struct arguments *words, const char *build)
{
    for (size_t i = 0; i < N_LANGUAGES; i++)
        if (read_records(words, build, languages[i].name))
            return true;
    return false;
}

/* The build folder: what -B says, else the folder that CMake was started in, or one above. */
static bool search_records(struct arguments *words)
{
    struct arguments command = texts_of_cmake("cmdline");
    char folder[PATH_MAX];
    for (size_t i = 1; i < command.n; i++)
        if (starts(command.v[i], "-B") && (command.v[i][2] || i + 1 < command.n))
            return read_all_records(words, command.v[i][2] ? command.v[i] + 2 : command.v[i + 1]);
    if (!getcwd(folder, sizeof(folder)))
        return false;
    for (char *end = folder + strlen(folder); end; end = strrchr(folder, '/')) {
        *end = 0;
        if (read_all_records(words, folder))
            return true;
    }
    return false;
}

/* What CMake was started with. It shortens its own copy of the variables, which is ours. */
static bool search_environment(struct arguments *words)
{
    struct arguments given = texts_of_cmake("environ");
    for (size_t i = 0; i < N_LANGUAGES; i++)
        for (size_t k = 0; k < given.n; k++)
            if (starts(given.v[k], languages[i].variable) &&
                words_after_ours(words, given.v[k] + strlen(languages[i].variable)))
                return true;
    return false;
}

bool cmake_compiler(struct arguments *words)
{
    return started_by_cmake() && (search_records(words) || search_environment(words));
}
