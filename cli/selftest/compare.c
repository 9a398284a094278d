/* compare.c - `lanescope selftest --compare`: what the files that users sent back say together. */
#include "cli/common/cli.h"
#include "results/file/error_text.h"
#include "selftest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

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
        json_is_array(json_object_get(o, "steps")) && *text_of(o, "gpu"))
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
    return !strcmp(text_of(a, "gpu"), text_of(b, "gpu")) && !strcmp(kind(a), kind(b));
}

/* Adds the problems of a file to those of others: from the text to the number of files behind it. */
static void count_problems(const json_t *file, json_t *count)
{
    json_t *seen = json_object();
    const json_t *step, *p;
    size_t k, i;
    json_array_foreach(json_object_get(file, "steps"), k, step)
        json_array_foreach(json_object_get(step, "problems"), i, p)
    {
        char *line = ls_text("%s: %s", text_of(step, "step"), json_is_string(p) ? json_string_value(p) : "");
        if (line && !json_object_get(seen, line)) {
            json_object_set_new(seen, line, json_true());
            json_object_set_new(count, line,
                                json_integer(1 + json_integer_value(json_object_get(count, line))));
        }
        free(line);
    }
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

/* A file's ways that were found: from the name to the row, the first of that name. */
static json_t *found_ways(const json_t *file)
{
    json_t *ways = json_object(), *row;
    size_t i;
    json_array_foreach(json_object_get(selftest_part(file, "lds"), "rows"), i,
                       row) if (!strcmp(text_of(row, "verdict"), "found") &&
                                !json_object_get(ways, text_of(row, "way")))
        json_object_set(ways, text_of(row, "way"), row);
    return ways;
}

/* How many files say of a way what the first of them says, and what our table says. */
static void add_ways(const json_t *file, json_t *firsts, json_t *tallies)
{
    json_t *ways = found_ways(file), *row;
    const char *way;
    json_object_foreach(ways, way, row)
    {
        json_t *tally = json_object_get(tallies, way);
        if (!tally) {
            json_object_set(firsts, way, row);
            json_object_set_new(tallies, way, tally = json_pack("[i, i, i]", 0, 0, 0));
        }
        const json_t *first = json_object_get(firsts, way);
        bool is[] = {true,
                     json_equal(json_object_get(row, "groups"), json_object_get(first, "groups")) &&
                         json_equal(json_object_get(row, "banks"), json_object_get(first, "banks")),
                     !strcmp(text_of(row, "table"), "same")};
        for (size_t i = 0; i < sizeof is / sizeof *is; i++)
            json_integer_set(json_array_get(tally, i), json_integer_value(json_array_get(tally, i)) + is[i]);
    }
    json_decref(ways);
}

static void print_ways(json_t *const *files, size_t n, const json_t *like, FILE *out)
{
    json_t *firsts = json_object(), *tallies = json_object(), *tally;
    const char *way;
    for (size_t f = 0; f < n; f++)
        if (same_gpu(files[f], like))
            add_ways(files[f], firsts, tallies);
    json_object_foreach(tallies, way, tally)
        fprintf(out,
                "  %-12s found by %" JSON_INTEGER_FORMAT ", %" JSON_INTEGER_FORMAT
                " as the first file has it, %" JSON_INTEGER_FORMAT " as our table has it\n",
                way, json_integer_value(json_array_get(tally, 0)),
                json_integer_value(json_array_get(tally, 1)), json_integer_value(json_array_get(tally, 2)));
    json_decref(firsts);
    json_decref(tallies);
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
            good += !selftest_problems(files[f]);
        }
    fprintf(out, "%s, %s: %zu file%s, %zu without problems\n", text_of(like, "gpu"), kind(like), all,
            all == 1 ? "" : "s", good);
    print_problems(files, n, like, out);
    if (!json_is_true(json_object_get(like, "software_gpu")))
        print_ways(files, n, like, out);
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
