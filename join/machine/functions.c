/* functions.c - see functions.h. */
#include "functions.h"
#include "common/sorted.h"
#include "common/vector.h"

struct collected {
    const struct ls_elf_names *names;
    struct ls_functions *f;
    bool failed;
};

static void collect(void *user, const char *name, const struct ls_elf_code *code)
{
    struct collected *c = user;
    struct ls_elf_code descriptor;
    if (c->failed || ls_elf_names_descriptor(c->names, name, &descriptor)) /* a kernel */
        return;
    c->failed = !LS_ROOM(c->f->items, c->f->n);
    if (!c->failed)
        c->f->items[c->f->n++] = (struct ls_function){name, *code, false};
}

/* By address, and those that others lie in before these; of two names for one function the file's first one, which is lower in memory. */
static int compare(const void *p, const void *q)
{
    const struct ls_function *a = p, *b = q;
    const uint64_t x = a->code.address, y = b->code.address;
    if (x != y)
        return x < y ? -1 : 1;
    if (a->code.size != b->code.size)
        return a->code.size > b->code.size ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

/* Whether b, which begins no earlier, begins in a; then it is a part of that, unless a damaged file has other code at the same addresses. */
static bool took(struct ls_function *a, const struct ls_function *b)
{
    const uint64_t before = b->code.address - a->code.address;
    if (before >= a->code.size)
        return false;
    if (b->code.code == a->code.code + before && before + b->code.size > a->code.size)
        a->code.size = before + b->code.size;
    return true;
}

bool ls_functions_read(const struct ls_elf_names *names, struct ls_functions *out)
{
    struct collected c = {names, out, false};
    *out = (struct ls_functions){0};
    ls_elf_names_each_function(names, collect, &c);
    const size_t n = out->n;
    if (n)
        qsort(out->items, n, sizeof *out->items, compare);
    out->n = 0;
    for (size_t i = 0; i < n; i++)
        if (!out->n || !took(&out->items[out->n - 1], &out->items[i]))
            out->items[out->n++] = out->items[i];
    return !c.failed;
}

void ls_functions_free(struct ls_functions *f)
{
    free(f->items);
    *f = (struct ls_functions){0};
}

struct ls_function *ls_function_at(const struct ls_functions *f, uint64_t address)
{
    const size_t i = LS_FIRST_NOT(f->n, at, f->items[at].code.address <= address);
    struct ls_function *last = i ? &f->items[i - 1] : NULL;
    return last && address - last->code.address < last->code.size ? last : NULL;
}
