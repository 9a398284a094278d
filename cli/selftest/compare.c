/* compare.c - `lanescope selftest --compare`: what the files that users sent back say together. */
#include "cli/common/cli.h"
#include "cli/common/safe_output.h"
#include "results/file/error_text.h"
#include "selftest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The whole file as text; NULL with errno. It is some twenty thousand bytes, so that one which never ends is none. */
static char *read_whole(const char *name, size_t *size)
{
    enum { MOST = 1 << 18 };
    FILE *f = fopen(name, "re");
    char *text = f ? malloc(MOST + 1) : NULL;
    *size = text ? fread(text, 1, MOST + 1, f) : 0;
    int why = !text || ferror(f) ? errno : *size > MOST ? EFBIG : 0;
    if (f)
        fclose(f);
    if (!why)
        return text;
    free(text);
    errno = why;
    return NULL;
}

static json_t *load(const char *name)
{
    size_t size;
    char *text = read_whole(name, &size);
    if (!text) {
        message("%s: cannot be read: %s", name, strerror(errno));
        return NULL;
    }
    json_t *o = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    free(text);
    if (json_integer_value(json_object_get(o, SELFTEST_KEY)) == SELFTEST_FORMAT &&
        json_is_array(json_object_get(o, "steps")) && *json_text_of(o, "gpu"))
        return o;
    if (!o)
        message("%s: no JSON, or a damaged file", name);
    else if (json_is_integer(json_object_get(o, SELFTEST_KEY)))
        message("%s: a self-test of another version of Lanescope; compare it with that version", name);
    else
        message("%s: no file of `lanescope selftest`", name);
    json_decref(o);
    return NULL;
}

static const char *kind(const json_t *file)
{
    return json_is_true(json_object_get(file, "software_gpu")) ? "software GPU" : "hardware";
}

static bool same_gpu(const json_t *a, const json_t *b)
{
    return !strcmp(json_text_of(a, "gpu"), json_text_of(b, "gpu")) && !strcmp(kind(a), kind(b));
}

/* Adds a file's problem, whose text is freed, unless the file has told of it before. */
static void count_problem(char *line, json_t *seen, json_t *count)
{
    if (line && !json_object_get(seen, line)) {
        json_object_set_new(seen, line, json_true());
        json_object_set_new(count, line, json_integer(1 + json_integer_value(json_object_get(count, line))));
    }
    free(line);
}

/* Whether a step says which problems it had, be it none: otherwise the file is damaged. */
static bool tells(const json_t *step)
{
    return json_is_array(json_object_get(step, "problems"));
}

static bool without_problems(const json_t *file)
{
    size_t i;
    const json_t *step, *steps = json_object_get(file, "steps");
    json_array_foreach(steps, i, step) if (!tells(step)) return false;
    return json_array_size(steps) && !selftest_problems(file);
}

/* Adds the problems of a file to those of others: from the text to the number of files behind it. */
static void count_problems(const json_t *file, json_t *count)
{
    json_t *seen = json_object();
    const json_t *step, *p;
    size_t k, i;
    json_array_foreach(json_object_get(file, "steps"), k, step)
    {
        const char *name = json_text_of(step, "step");
        if (!tells(step))
            count_problem(ls_text("%s: the file does not say which problems it had", name), seen, count);
        json_array_foreach(json_object_get(step, "problems"), i, p) count_problem(
            ls_text("%s: %s", name, json_is_string(p) ? json_string_value(p) : ""), seen, count);
    }
    if (!json_array_size(json_object_get(file, "steps")))
        count_problem(ls_text("no step is in the file"), seen, count);
    json_decref(seen);
}

static void print_problems(json_t *const *files, size_t n, const json_t *like, FILE *out)
{
    json_t *count = json_object(), *times;
    const char *key;
    for (size_t f = 0; f < n; f++)
        if (same_gpu(files[f], like))
            count_problems(files[f], count);
    json_object_foreach(count, key, times)
        fprintf(out, "  %" JSON_INTEGER_FORMAT " x  %s\n", json_integer_value(times), key);
    json_decref(count);
}

/* What is told of all files together: rows of one kind, by name. */
struct told {
    /* Fills an object with a file's rows by their names, the first of each name. */
    void (*collect)(const json_t *file, json_t *rows);
    bool (*same)(const json_t *a, const json_t *b);
    bool (*ours)(const json_t *row); /* whether it is as our table or model has it */
    const char *verb, *source;       /* "found", "table" */
};

static void add_row(json_t *rows, const char *name, json_t *row)
{
    if (!json_object_get(rows, name))
        json_object_set(rows, name, row);
}

static void collect_ways(const json_t *file, json_t *rows)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(selftest_part(file, "lds"), "rows"), i,
                       row) if (!strcmp(json_text_of(row, "verdict"), "found"))
        add_row(rows, json_text_of(row, "way"), row);
}

static bool same_way(const json_t *a, const json_t *b)
{
    return json_equal(json_object_get(a, "groups"), json_object_get(b, "groups")) &&
           json_equal(json_object_get(a, "banks"), json_object_get(b, "banks"));
}

static bool our_way(const json_t *row)
{
    return !strcmp(json_text_of(row, "table"), "same");
}

static void collect_counts(const json_t *file, json_t *rows)
{
    size_t i, k;
    const json_t *step;
    json_t *count;
    json_array_foreach(json_object_get(file, "steps"), i, step)
        json_array_foreach(json_object_get(step, "counts"), k, count)
    {
        char *name = ls_text("%s, %s", json_text_of(count, "pattern"), json_text_of(count, "counter"));
        if (name)
            add_row(rows, name, count);
        free(name);
    }
}

static bool same_count(const json_t *a, const json_t *b)
{
    return json_number_value(json_object_get(a, "counted")) ==
           json_number_value(json_object_get(b, "counted"));
}

static const struct told told[] = {
    {collect_ways, same_way, our_way, "found", "table"},
    {collect_counts, same_count, selftest_as_our_model, "counted", "model"},
};

/* How many files say of a row what the first of them says, and what we say. */
static void add_file(const struct told *t, const json_t *file, json_t *firsts, json_t *tallies)
{
    json_t *rows = json_object(), *row;
    const char *name;
    t->collect(file, rows);
    json_object_foreach(rows, name, row)
    {
        json_t *tally = json_object_get(tallies, name);
        if (!tally) {
            json_object_set(firsts, name, row);
            json_object_set_new(tallies, name, tally = json_pack("[i, i, i]", 0, 0, 0));
        }
        bool is[] = {true, t->same(row, json_object_get(firsts, name)), t->ours(row)};
        for (size_t i = 0; i < sizeof is / sizeof *is; i++)
            json_integer_set(json_array_get(tally, i), json_integer_value(json_array_get(tally, i)) + is[i]);
    }
    json_decref(rows);
}

static void print_told(const struct told *t, json_t *const *files, size_t n, const json_t *like, FILE *out)
{
    json_t *firsts = json_object(), *tallies = json_object(), *tally;
    const char *name;
    for (size_t f = 0; f < n; f++)
        if (same_gpu(files[f], like))
            add_file(t, files[f], firsts, tallies);
    json_object_foreach(tallies, name, tally)
        fprintf(out,
                "  %-12s %s by %" JSON_INTEGER_FORMAT ", %" JSON_INTEGER_FORMAT
                " as the first file has it, %" JSON_INTEGER_FORMAT " as our %s has it\n",
                name, t->verb, json_integer_value(json_array_get(tally, 0)),
                json_integer_value(json_array_get(tally, 1)), json_integer_value(json_array_get(tally, 2)),
                t->source);
    json_decref(firsts);
    json_decref(tallies);
}

/* How many files were made in which mode of partition; nothing where none says. */
static void print_partitions(json_t *const *files, size_t n, const json_t *like, FILE *out)
{
    json_t *count = json_object(), *times;
    const char *key;
    for (size_t f = 0; f < n; f++) {
        const json_t *p = json_object_get(selftest_part(files[f], "identity"), "partition");
        if (!same_gpu(files[f], like) || !p)
            continue;
        char *name = ls_text("%s, %s", json_text_of(p, "compute"), json_text_of(p, "memory"));
        if (name)
            json_object_set_new(count, name,
                                json_integer(1 + json_integer_value(json_object_get(count, name))));
        free(name);
    }
    json_object_foreach(count, key, times)
        fprintf(out, "  %" JSON_INTEGER_FORMAT " in mode %s\n", json_integer_value(times), key);
    json_decref(count);
}

static void print_figures(json_t *const *files, size_t n, const json_t *like, FILE *out)
{
    json_t **same = calloc(n + 1, sizeof *same);
    size_t kept = 0;
    for (size_t f = 0; same && f < n; f++)
        if (same_gpu(files[f], like))
            same[kept++] = files[f];
    selftest_compare_figures(same, kept, out);
    free(same);
}

static bool first_of_its_kind(json_t *const *files, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_gpu(files[k], files[i]))
            return false;
    return true;
}

static void print_gpu(json_t *const *files, size_t n, const json_t *like, FILE *out)
{
    size_t all = 0, good = 0;
    for (size_t f = 0; f < n; f++)
        if (same_gpu(files[f], like)) {
            all++;
            good += without_problems(files[f]);
        }
    fprintf(out, "%s, %s: %zu file%s, %zu without problems\n", json_text_of(like, "gpu"), kind(like), all,
            all == 1 ? "" : "s", good);
    print_problems(files, n, like, out);
    if (json_is_true(json_object_get(like, "software_gpu")))
        return;
    print_partitions(files, n, like, out);
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        print_told(&told[i], files, n, like, out);
    print_figures(files, n, like, out);
}

int selftest_compare(char *const *names, size_t n, FILE *out)
{
    json_t **files = calloc(n + 1, sizeof *files);
    size_t read = 0;
    if (!files)
        return EXIT_FAILED;
    for (size_t i = 0; i < n; i++)
        if ((files[read] = load(names[i])))
            read++;
    for (size_t i = 0; i < read; i++)
        if (first_of_its_kind(files, i))
            print_gpu(files, read, files[i], out);
    for (size_t i = 0; i < read; i++)
        json_decref(files[i]);
    free(files);
    return read == n ? EXIT_OK : EXIT_DATABASE;
}
