/*
 * text.c - see text.h.
 */
#include "text.h"

#include <string.h>

bool gcn_text_returns(const char *text)
{
    if (!strncmp(text, "ds_", 3))
        return strstr(text, "_rtn") || !strncmp(text, "ds_append", 9) || !strncmp(text, "ds_consume", 10);
    return strstr(text, "_atomic_") && (strstr(text, " glc") || strstr(text, " sc0") ||
                                        (strstr(text, "TH_ATOMIC_") && strstr(text, "_RETURN")));
}

bool gcn_text_compares(const char *text)
{
    return strstr(text, "cmpswap") || strstr(text, "_cmpst");
}

bool gcn_text_is_global(const char *names)
{
    return strstr(names, "global_") && !strstr(names, "flat_") && !strstr(names, "ds_");
}
