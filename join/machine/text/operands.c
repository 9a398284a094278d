/* operands.c - see operands.h. */
#include "operands.h"

#include <stdlib.h>
#include <string.h>

struct ls_registers ls_operand_range(const char *s)
{
    struct ls_registers r = {-1, 0, 1};
    while (*s == ' ' || *s == '-' || *s == '|')
        s++;
    if (!(*s == 'v' || *s == 'a' || *s == 's') || !(s[1] == '[' || (s[1] >= '0' && s[1] <= '9')))
        return r;
    char *end;
    r.file = *s == 'v' ? 0 : *s == 'a' ? 1 : 2;
    r.first = (unsigned)strtoul(s + (s[1] == '[' ? 2 : 1), &end, 10);
    if (s[1] == '[' && *end == ':')
        r.n = (unsigned)strtoul(end + 1, NULL, 10) - r.first + 1;
    if (!r.n || r.first >= LS_REGISTERS || r.n > LS_REGISTERS - r.first)
        r.file = -1;
    return r;
}

unsigned ls_operands(const char *text, const char *operand[LS_OPERANDS])
{
    unsigned n = 0;
    const char *s = strchr(text, ' ');
    while (s && n < LS_OPERANDS) {
        operand[n++] = s + strspn(s, ", ");
        s = strchr(s + 1, ',');
    }
    return n;
}
