/* shell_word.h - words as shells read them back. */
#ifndef COMMON_SHELL_WORD_H
#define COMMON_SHELL_WORD_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Whether bash and zsh read a word as it is. "=" is theirs in `NAME=value` and in zsh's `=command`, not in an option. */
static inline bool ls_is_plain_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+,:@-=";
    return *word && !word[strspn(word, plain)] && (*word == '-' || !strchr(word, '='));
}

/* Writes a word as $'...', in which every byte can be said in letters. */
static inline void ls_put_shell_bytes(FILE *out, const char *word)
{
    fputs("$'", out);
    for (const unsigned char *s = (const unsigned char *)word; *s; s++)
        if (*s < 0x20 || *s >= 0x7f)
            fprintf(out, "\\x%02x", *s);
        else
            fprintf(out, *s == '\'' || *s == '\\' ? "\\%c" : "%c", *s);
    fputc('\'', out);
}

static inline bool ls_has_control(const char *word)
{
    while (*word && (unsigned char)*word >= 0x20 && *word != 0x7f)
        word++;
    return *word;
}

/* Writes a word of text, in quotes where it is not read as it is. */
static inline void ls_put_shell_word(FILE *out, const char *word)
{
    if (ls_is_plain_word(word)) {
        fputs(word, out);
        return;
    }
    if (ls_has_control(word)) {
        ls_put_shell_bytes(out, word);
        return;
    }
    fputc('\'', out);
    for (const char *s = word; *s; s++)
        fprintf(out, *s == '\'' ? "'\\''" : "%c", *s);
    fputc('\'', out);
}

#endif
