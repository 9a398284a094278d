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

/* How often is written before the name: "2x ". */
static const char *without_times(const char *name)
{
    const size_t digits = strspn(name, "0123456789");
    return digits && !strncmp(name + digits, "x ", 2) ? name + digits + 2 : name;
}

/* How a name begins says what executes the instruction (traits' `unit`); what stands behind says what it does, as "_lds_". */
bool gcn_text_is_global(const char *names)
{
    static const char begin[] = "global_", between[] = ", ";
    const char *name = names;
    while (name && !strncmp(without_times(name), begin, sizeof begin - 1)) {
        name = strstr(name, between);
        if (!name)
            return true;
        name += sizeof between - 1;
    }
    return false;
}
