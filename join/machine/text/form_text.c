/* form_text.c - what the text of an instruction says of its memory access (op_text.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gcn/text.h"
#include "op_text.h"
#include "operands.h"

/* LDS instructions that exchange lanes, count or synchronise without a memory access per lane. */
static bool lds_without_address(const char *s)
{
    static const char *const names[] = {"ds_nop",        "ds_swizzle",    "ds_permute",  "ds_bpermute",
                                        "ds_append",     "ds_consume",    "ds_gws",      "ds_ordered_count",
                                        "ds_add_gs_reg", "ds_sub_gs_reg", "ds_bvh_stack"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ls_text_starts(s, names[i]))
            return true;
    return false;
}

/* Cache maintenance shares the memory instructions' prefixes. */
static bool cache_control(const char *s)
{
    static const char *const names[] = {"buffer_inv", "buffer_wb", "buffer_gl",
                                        "global_inv", "global_wb", "global_gl1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ls_text_starts(s, names[i]))
            return true;
    return false;
}

static bool is_scalar_memory(const char *s)
{
    return ls_text_starts(s, "s_load_") || ls_text_starts(s, "s_store_") ||
           ls_text_starts(s, "s_buffer_load") || ls_text_starts(s, "s_buffer_store") ||
           ls_text_starts(s, "s_atomic_") || ls_text_starts(s, "s_buffer_atomic") ||
           ls_text_starts(s, "s_scratch_");
}

/* Width in the mnemonic: b8 to b128, u8, i16 and so on; x2 to x4 behind "dword". */
static uint32_t access_bytes(const char *s)
{
    char name[64];
    size_t n = strcspn(s, " ");
    if (n >= sizeof name)
        return 0;
    memcpy(name, s, n);
    name[n] = 0;
    const char *d = strstr(name, "dword");
    if (d)
        return d[5] == 'x' ? 4u * (uint32_t)strtoul(d + 6, NULL, 10) : 4;
    if (strstr(name, "_pk_")) /* two halves of a dword: named by the width of one */
        return 4;
    for (char *p = name; (p = strchr(p, '_')) != NULL; p++) {
        unsigned bits;
        if (p[1] && strchr("biuf", p[1]) && sscanf(p + 2, "%u", &bits) == 1 && bits >= 8 && bits <= 512)
            return bits / 8;
    }
    if (strstr(name, "byte"))
        return 1;
    return strstr(name, "short") ? 2 : 0;
}

/* By mnemonic. *pair: one of the ds_read2/ds_write2 family. */
static enum ls_isa_class classify(const char *s, bool *pair, bool *store, uint32_t *bytes)
{
    *pair = ls_text_starts(s, "ds_read2") || ls_text_starts(s, "ds_write2") ||
            ls_text_starts(s, "ds_load_2addr") || ls_text_starts(s, "ds_store_2addr");
    *store = ls_text_starts(s, "ds_write") || ls_text_starts(s, "ds_store") || strstr(s, "_store") != NULL;
    *bytes = access_bytes(s);
    if (ls_text_starts(s, "ds_"))
        return lds_without_address(s) ? LS_ISA_NONE : LS_ISA_LDS;
    if (cache_control(s))
        return LS_ISA_NONE;
    if (ls_text_starts(s, "global_") || ls_text_starts(s, "flat_") || ls_text_starts(s, "buffer_") ||
        ls_text_starts(s, "tbuffer_"))
        return LS_ISA_VECTOR;
    if (ls_text_starts(s, "scratch_"))
        return LS_ISA_SCRATCH;
    return is_scalar_memory(s) ? LS_ISA_SCALAR : LS_ISA_NONE;
}

static long operand(const char *text, const char *name)
{
    const char *s = strstr(text, name);
    return s ? strtol(s + strlen(name), NULL, 0) : 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

struct ls_isa_form ls_isa_form(const char *s)
{
    struct ls_isa_form f = {0};
    f.class = classify(s, &f.pair, &f.store, &f.bytes);
    f.flat = ls_text_starts(s, "flat_");
    f.buffer = f.class == LS_ISA_VECTOR && (ls_text_starts(s, "buffer_") || ls_text_starts(s, "tbuffer_"));
    f.to_lds = f.class == LS_ISA_VECTOR && (strstr(s, "_load_lds_") || ends_with(s, " lds"));
    f.at = (int32_t)operand(s, " offset:");
    if (f.pair) { /* offsets count elements, or 64 elements in the st64 forms */
        int32_t unit = (int32_t)f.bytes * (strstr(s, "st64") ? 64 : 1);
        f.at = (int32_t)operand(s, " offset0:") * unit;
        f.delta = (int32_t)operand(s, " offset1:") * unit - f.at;
    }
    f.atomic = f.class == LS_ISA_LDS
                   ? !f.store && !ls_text_starts(s, "ds_read") && !ls_text_starts(s, "ds_load")
                   : strstr(s, "_atomic") != NULL;
    if (f.atomic && f.class == LS_ISA_VECTOR && !f.bytes) /* named by a suffix only */
        f.bytes = strstr(s, "_x2") ? 8 : 4;
    f.swaps = f.atomic && gcn_text_compares(s);
    return f;
}
