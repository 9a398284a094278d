/* command_words.h - words of a command in a text: of response files, and as compilers print what they run. */
#ifndef COMMON_COMMAND_WORDS_H
#define COMMON_COMMAND_WORDS_H

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* The next word, in the way of GNU tools: white space separates, quotes and backslashes keep. Overwrites the text with it, and
 * leaves *rest behind it. NULL: there are no more. */
static inline char *ls_next_word(char **rest)
{
    char *in = *rest + strspn(*rest, " \t\r\n\f\v"), *out = in, *word = in, quote = 0;
    if (!*in)
        return NULL;
    for (; *in && (quote || !isspace((unsigned char)*in)); in++) {
        if (*in == '\\' && quote != '\'' && in[1])
            *out++ = *++in;
        else if (quote ? *in == quote : *in == '"' || *in == '\'')
            quote = quote ? 0 : *in;
        else
            *out++ = *in;
    }
    *rest = *in ? in + 1 : in;
    *out = 0;
    return word;
}

#endif
