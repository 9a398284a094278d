/* Short names of files, against their definition: the fewest last components that no other file has. */
#include "results/profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FILES = 200, LENGTH = 12, ROUNDS = 40, MANY = 200000 };

static const char *tail(const char *path, int components)
{
    const char *p = path + strlen(path);
    for (; p > path; p--)
        if (p[-1] == '/' && --components == 0)
            return p;
    return path;
}

static const char *defined(char (*files)[LENGTH], size_t n, const char *path)
{
    for (int c = 1; tail(path, c) != path; c++) {
        bool alone = true;
        for (size_t i = 0; i < n && alone; i++)
            alone = !strcmp(files[i], path) || strcmp(tail(files[i], c), tail(path, c));
        if (alone)
            return tail(path, c);
    }
    return path;
}

/* Each file is a line's own, or that of a place which the line was inlined into. */
static struct ls_profile *profile_of(const char *(*file)(size_t), size_t n)
{
    struct ls_profile *p = ls_profile_new();
    struct ls_p_kernel *k = calloc(1, sizeof(*k));
    *LS_PUSH(p->kernels, p->n_kernels) = k;
    for (size_t i = 0; i < n; i++) {
        struct ls_p_line *line = calloc(1, sizeof(*line));
        struct ls_p_place *place = calloc(1, sizeof(*place));
        line->file = i % 3 ? file(i) : "";
        place->file = file(i);
        line->chain = place;
        line->n_chain = i % 3 ? 0 : 1;
        *LS_PUSH(k->lines, k->n_lines) = line;
    }
    ls_profile_added(p);
    return p;
}

static void forget(struct ls_profile *p)
{
    struct ls_p_kernel *k = p->kernels[0];
    for (size_t i = 0; i < k->n_lines; i++) {
        free((void *)k->lines[i]->chain);
        free(k->lines[i]);
    }
    free(k->lines);
    free(k);
    p->n_kernels = 0;
    ls_profile_free(p);
}

static char made[FILES][LENGTH];

static const char *made_file(size_t i)
{
    return made[i];
}

static void as_defined(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < FILES; i++) {
            size_t length = 1 + (size_t)rand() % (LENGTH - 1);
            for (size_t c = 0; c < length; c++)
                made[i][c] = "ab/."[rand() % (round % 2 ? 3 : 4)];
            made[i][length] = 0;
        }
        const size_t known = FILES - 20; /* the others are files that no line is in */
        struct ls_profile *p = profile_of(made_file, known);
        for (size_t i = 0; i < FILES; i++)
            assert_string_equal(ls_profile_short(p, made[i]), defined(made, known, made[i]));
        forget(p);
    }
}

static char (*numbered)[24];

static const char *numbered_file(size_t i)
{
    return numbered[i];
}

/* Comparing each with each would take hours. */
static void very_many(void **state)
{
    (void)state;
    numbered = calloc(MANY, sizeof(*numbered));
    for (size_t i = 0; i < MANY; i++)
        snprintf(numbered[i], sizeof(numbered[i]), "/src/%zu/kernel.hip", i);
    struct ls_profile *p = profile_of(numbered_file, MANY);
    for (size_t i = 0; i < MANY; i++)
        assert_string_equal(ls_profile_short(p, numbered[i]), numbered[i] + strlen("/src/"));
    forget(p);
    free(numbered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_defined),
        cmocka_unit_test(very_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
