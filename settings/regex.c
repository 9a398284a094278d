/* regex.c - ls_parse_regex, see parse.h. */
#include "parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Characters of all, and of one part that is repeated: what this costs the library grows with its square. */
enum { MOST = 8192, REPEATED = 2048, DEEP = 256 };

/* How often a repetition writes out what is before it; goes behind it. 0: there is none at `p`. */
static uint64_t times_of(const char **p)
{
    const char c = **p;
    if (c == '{') {
        char *end;
        uint64_t from = strtoull(*p + 1, &end, 10), to = *end == ',' ? strtoull(end + 1, &end, 10) : from;
        if (*end != '}')
            return 0;
        *p = end + 1;
        to = from > to ? from : to;
        return to < MOST ? to + 1 : MOST + 1;
    }
    *p += c == '+' || c == '*' || c == '?';
    return c == '+' ? 2 : c == '*' || c == '?' ? 1 : 0;
}

/* Goes behind one character, escaped or not, or one bracket expression. */
static const char *behind(const char *p)
{
    if (*p == '\\' && p[1])
        return p + 2;
    if (*p != '[')
        return p + 1;
    for (p += p[1] == '^' ? 2 : 1, p += *p == ']'; *p && *p != ']'; p++)
        if (*p == '[' && p[1] && strchr(":.=", p[1])) {
            const char kind = p[1];
            for (p += 2; *p && !(*p == kind && p[1] == ']'); p++)
                ;
            p += *p != 0;
            if (!*p)
                break;
        }
    return p + (*p != 0);
}

/* Groups are open from the outermost in; each ends as one item of the one around it. */
uint64_t ls_regex_size(const char *p)
{
    uint64_t before[DEEP], all = 0; /* of the open groups: what stands before them; of the innermost */
    unsigned deep = 0;
    while (*p && all <= MOST) {
        uint64_t item = 1;
        if (*p == '(') {
            if (deep == DEEP)
                return MOST + 1ull;
            before[deep++] = all + 1;
            all = 0;
            p++;
            continue;
        }
        if (*p == ')' && deep) {
            item = all + 1;
            all = before[--deep];
            p++;
        } else {
            p = behind(p);
        }
        for (uint64_t times; item <= MOST && (times = times_of(&p)) != 0;)
            item = times > 1 && item * times > REPEATED ? MOST + 1ull : item * times;
        all += item;
    }
    while (deep)
        all += before[--deep];
    return all;
}

bool ls_parse_regex(const char *text, regex_t *re, char *why, size_t size)
{
    if (ls_regex_size(text) > MOST) {
        snprintf(why, size,
                 "with repetitions written out it has more than %d characters, or one of them more than %d",
                 MOST, REPEATED);
        return false;
    }
    int rc = regcomp(re, text, REG_EXTENDED | REG_NOSUB);
    if (rc)
        regerror(rc, re, why, size);
    return !rc;
}
