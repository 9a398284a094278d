/* ls_command.c - see ls_command.h. */
#include "ls_command.h"
#include "common/command_words.h"
#include "common/system_folders.h"
#include "ls_pass.h"

#include <stdio.h>
#include <string.h>

/* All of a file, with a zero byte behind it; malloc'd. NULL: it cannot be read, or there is nothing in it. */
static char *read_all(const char *path, size_t *n)
{
    char *bytes = NULL;
    FILE *f = fopen(path, "re");
    size_t room = 0;
    *n = 0;
    while (f && !feof(f) && !ferror(f)) {
        if (*n == room)
            bytes = ls_realloc(bytes, (room = room ? 2 * room : 4096) + 1);
        *n += fread(bytes + *n, 1, room - *n, f);
    }
    if (f)
        fclose(f);
    if (bytes)
        bytes[*n] = 0;
    return bytes;
}

static void add_word(struct ls_command *c, const char *word)
{
    c->words = ls_realloc(c->words, (c->n + 2) * sizeof *c->words);
    c->words[c->n++] = word;
    c->words[c->n] = NULL;
}

/* Where a command would be too long, all of it but the program is in a file, which is there until this process ends. */
static void read_response(struct ls_command *c)
{
    size_t n;
    char *text = read_all(c->words[1] + 1, &n), *rest = text;
    if (!text)
        return;
    c->n = 0;
    free(c->text);
    c->text = text;
    add_word(c, "");
    for (char *word; (word = ls_next_word(&rest));)
        add_word(c, word);
}

struct ls_command ls_read_command(void)
{
    struct ls_command c = {0};
    size_t n;
    c.text = read_all("/proc/self/cmdline", &n);
    for (const char *word = c.text; word && word < c.text + n; word += strlen(word) + 1)
        add_word(&c, word);
    if (c.n == 2 && c.words[1][0] == '@')
        read_response(&c);
    if (c.n < 2 || strcmp(c.words[1], "-cc1") != 0)
        c.n = 0;
    return c;
}

void ls_free_command(struct ls_command *c)
{
    free(c->text);
    free(c->words);
}

const char *ls_word_behind(const struct ls_command *c, const char *word)
{
    for (size_t i = 1; i + 1 < c->n; i++)
        if (!strcmp(c->words[i], word))
            return c->words[i + 1];
    return NULL;
}

bool ls_has_word(const struct ls_command *c, const char *word)
{
    for (size_t i = 1; i < c->n; i++)
        if (!strcmp(c->words[i], word))
            return true;
    return false;
}

/* Headers may be among what this process reads: neither was the source preprocessed by another, nor is it IR. */
static bool reads_source(const struct ls_command *c)
{
    const char *language = ls_word_behind(c, "-x");
    return language && !strcmp(language, "hip");
}

/* The files that the user names: the source, which is the last word, and what is included before it. */
static const char **files_named(const struct ls_command *c)
{
    const char **files = ls_realloc(NULL, (c->n + 1) * sizeof *files);
    size_t n = 0;
    files[n++] = c->words[c->n - 1];
    for (size_t i = 1; i + 1 < c->n; i++)
        if (!strcmp(c->words[i], "-include"))
            files[n++] = c->words[++i];
    files[n] = NULL;
    return files;
}

/* Elsewhere `lanescope` tells them in the environment. */
char *ls_system_folders(void)
{
    const char *told = getenv("LANESCOPE_SYSTEM_FOLDERS");
    struct ls_command c = ls_read_command();
    char *list = NULL;
    if (reads_source(&c)) {
        const char **own = files_named(&c);
        for (size_t i = 1; i + 1 < c.n; i++)
            if (ls_names_system_folder(c.words[i]))
                ls_add_system_folder(&list, c.words[++i], own);
        free(own);
    } else if (told && *told) {
        list = strdup(told);
    }
    ls_free_command(&c);
    return list;
}
