/* code_uri.c - see code_uri.h. */
#include "code_uri.h"

#include <stdlib.h>
#include <string.h>

char *ls_code_uri_file(const char *uri)
{
    static const char scheme[] = "file://";
    if (!uri || strncmp(uri, scheme, sizeof scheme - 1))
        return NULL;
    const char *s = uri + sizeof scheme - 1;
    char *path = malloc(strlen(s) + 1), *out = path;
    for (; path && *s && *s != '#' && *s != '?'; s++) {
        char hex[3] = {s[0] == '%' ? s[1] : 0, s[0] == '%' && s[1] ? s[2] : 0, 0}, *end;
        long code = strtol(hex, &end, 16);
        if (end == hex + 2) {
            *out++ = (char)code;
            s += 2;
        } else {
            *out++ = *s;
        }
    }
    if (path)
        *out = 0;
    return path;
}
