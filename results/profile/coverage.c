#include "coverage.h"
#include "exact.h"
#include "gcn/text.h"
#include "results/reader/saturate.h"
#include "lanescope/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N(a) (sizeof(a) / sizeof(*(a)))

const char *ls_kind_name(uint32_t kind)
{
    static const char *const names[] = {
        [LS_SITE_LOAD] = "load",
        [LS_SITE_STORE] = "store",
        [LS_SITE_RMW] = "atomic",
        [LS_SITE_CMPXCHG] = "compare and swap",
        [LS_SITE_COPY_READ] = "copy read",
        [LS_SITE_COPY_WRITE] = "copy write",
        [LS_SITE_LDS_DMA_READ] = "LDS DMA read",
        [LS_SITE_LDS_DMA_WRITE] = "LDS DMA write",
        [LS_SITE_BLOCK] = "block",
        [LS_SITE_TIME] = "time",
        [LS_SITE_IMAGE] = "image",
        [LS_SITE_OTHER] = "other",
        [LS_SITE_CALL] = "call",
    };
    return kind < N(names) && names[kind] ? names[kind] : "unknown";
}

static const char *space_name(uint32_t space)
{
    static const char *const names[] = {"flat",    "global", NULL,     "LDS",   "constant",
                                        "scratch", NULL,     "buffer", "buffer"};
    return space < N(names) && names[space] ? names[space] : "unknown";
}

const char *ls_site_space_name(const struct ls_r_site *s)
{
    const bool of_global = s->isa && gcn_text_is_global(s->isa);
    return space_name(s->space == LANESCOPE_SPACE_FLAT && of_global && !ls_site_estimated(s)
                          ? LANESCOPE_SPACE_GLOBAL
                          : s->space);
}

bool ls_site_observed(const struct ls_r_site *s)
{
    return s->flags & LS_SITE_OBSERVED;
}

void ls_count(struct ls_arena *arena, struct ls_p_count **list, size_t *length, const char *name,
              const char *plural, int64_t n)
{
    for (size_t i = 0; i < *length; i++) {
        if (!strcmp((*list)[i].name, name)) {
            (*list)[i].n = ls_add((*list)[i].n, n, NULL);
            return;
        }
    }
    *LS_PUSH(*list, *length) =
        (struct ls_p_count){ls_arena_string(arena, name), ls_arena_string(arena, plural), n};
}

static void count_with_plural(struct ls_arena *arena, struct ls_p_kernel *k, const char *one,
                              const char *many)
{
    ls_count(arena, &k->not_covered, &k->n_not_covered, one, many, 1);
}

/* Named by what the intrinsic does: "image load". */
static void count_image(struct ls_arena *arena, struct ls_p_kernel *k, const char *instruction)
{
    static const char *const words[][3] = {
        {"sample", "image sample", "image samples"}, {"gather", "image gather", "image gathers"},
        {"atomic", "image atomic", "image atomics"}, {"store", "image store", "image stores"},
        {"load", "image load", "image loads"},
    };
    for (size_t i = 0; i < N(words); i++) {
        if (strstr(instruction, words[i][0])) {
            count_with_plural(arena, k, words[i][1], words[i][2]);
            return;
        }
    }
    count_with_plural(arena, k, "image access", "image accesses");
}

static void count_named(struct ls_arena *arena, struct ls_p_kernel *k, const char *one, const char *many,
                        const char *instruction)
{
    char a[160], b[160];
    if (!*instruction) {
        count_with_plural(arena, k, one, many);
        return;
    }
    snprintf(a, sizeof(a), "%s (%.100s)", one, instruction);
    snprintf(b, sizeof(b), "%s (%.100s)", many, instruction);
    count_with_plural(arena, k, a, b);
}

static void count_missing(struct ls_arena *arena, struct ls_p_kernel *k, const struct ls_r_site *s)
{
    if (s->kind == LS_SITE_IMAGE || s->reason == LS_REASON_IMAGE) {
        count_image(arena, k, s->instruction);
        return;
    }
    switch (s->reason) {
    case LS_REASON_PRIVATE:
        count_with_plural(arena, k, "scratch access", "scratch accesses");
        break;
    case LS_REASON_INLINE_ASM:
        count_named(arena, k, "inline assembly statement", "inline assembly statements",
                    strcmp(s->instruction, "call") ? s->instruction : "");
        break;
    case LS_REASON_UNKNOWN_INTRINSIC:
        count_named(arena, k, "unknown intrinsic", "unknown intrinsics", s->instruction);
        break;
    case LS_REASON_FILTERED:
        count_with_plural(arena, k, "access excluded when compiling", "accesses excluded when compiling");
        break;
    case LS_REASON_NO_LINE:
        count_with_plural(arena, k, "access in library code without debug information",
                          "accesses in library code without debug information");
        break;
    case LS_REASON_SCALAR:
        count_with_plural(arena, k, "uniform load through the scalar cache",
                          "uniform loads through the scalar cache");
        break;
    case LS_REASON_INDIRECT_CALL:
        count_with_plural(arena, k, "call through a pointer", "calls through pointers");
        break;
    case LS_REASON_EXTERNAL_CALL:
        count_named(arena, k, "call into another module", "calls into other modules", s->instruction);
        break;
    default:
        count_named(arena, k, "instruction of another kind", "instructions of another kind", s->instruction);
        break;
    }
}

void ls_cover(struct ls_arena *arena, struct ls_p_kernel *k, const struct ls_r_site *s)
{
    k->any_function |= s->alone && s->kind == LS_SITE_CALL;
    if (LS_SITE_NO_ACCESS(s->kind))
        return; /* no memory instructions */
    if (!ls_site_observed(s) && s->reason == LS_REASON_KERNARG)
        return; /* the compiler's own reads, not the user's */
    bool call = s->reason == LS_REASON_INDIRECT_CALL || s->reason == LS_REASON_EXTERNAL_CALL;
    k->instructions += !call;
    if (ls_site_observed(s))
        k->instructions_observed++;
    else
        count_missing(arena, k, s);
}

void ls_cover_calls(struct ls_arena *arena, struct ls_p_kernel *k, const char *where, int64_t n)
{
    char one[320], many[320];
    snprintf(one, sizeof(one), "call through the pointer %.256s to a function without probes", where);
    snprintf(many, sizeof(many), "calls through the pointer %.256s to functions without probes", where);
    ls_count(arena, &k->not_covered, &k->n_not_covered, one, many, n);
}

char *ls_coverage_text(const struct ls_p_kernel *k)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (!k->instructions)
        fprintf(out, "no memory instructions");
    else
        fprintf(out, "%u of %u memory instruction%s observed", k->instructions_observed, k->instructions,
                k->instructions == 1 ? "" : "s");
    for (size_t i = 0; i < k->n_not_covered; i++) {
        const struct ls_p_count *c = &k->not_covered[i];
        fprintf(out, "%s%lld %s", i ? ", " : "; not: ", (long long)c->n, c->n == 1 ? c->name : c->plural);
    }
    if (k->any_function)
        fputs("; some calls go where only registers say: all functions of its code object count", out);
    fclose(out);
    return text;
}
