/* fat_binary.c - see fat_binary.h. A bundle is a magic, a count, and for each entry offset, size, length of
 * its name and the name, in numbers of 64 bits. What else stands in the section is padding. */
#include "fat_binary.h"
#include "bundle_head.h"
#include "elf_image.h"

#include <stdint.h>
#include <string.h>

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__", compressed_magic[] = LS_COMPRESSED_MAGIC;

struct search {
    void (*each)(void *context, const char *target);
    void *context;
    size_t found;
};

struct bytes {
    const char *at;
    size_t left;
};

static bool take(struct bytes *b, void *to, size_t size)
{
    if (size > b->left)
        return false;
    memcpy(to, b->at, size);
    b->at += size;
    b->left -= size;
    return true;
}

/* "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+": kind of offload, triple, target. Up to clang 15 there is no environment in
 * the triple, so that the target follows a pair of dashes in all versions. NULL: no code for a GPU. */
static const char *target_in(const char *name)
{
    const char *triple = strstr(name, "-amdgcn-amd-amdhsa-");
    const char *target = triple ? strstr(triple + 1, "--") : NULL;
    return target && target[2] ? target + 2 : NULL;
}

/* Reads the bundle that begins at b->at with its magic, and leaves b behind its head. `end`: where the last code ends, from
 * the bundle's beginning. */
static bool read_bundle(struct bytes *b, struct search *s, uint64_t *end)
{
    enum { NAME_MAX_LENGTH = 255 };
    uint64_t n, entry[3];
    char name[NAME_MAX_LENGTH + 1];
    *end = 0;
    b->at += sizeof bundle_magic - 1;
    b->left -= sizeof bundle_magic - 1;
    if (!take(b, &n, sizeof n))
        return false;
    for (; n; n--) {
        if (!take(b, entry, sizeof entry) || entry[2] > NAME_MAX_LENGTH || !take(b, name, (size_t)entry[2]))
            return false;
        if (entry[0] <= SIZE_MAX / 2 && entry[1] <= SIZE_MAX / 2 && entry[0] + entry[1] > *end)
            *end = entry[0] + entry[1];
        name[entry[2]] = 0;
        const char *target = target_in(name);
        if (!target)
            continue;
        s->found++;
        s->each(s->context, target);
    }
    return true;
}

/* The bundle at b->at, after which b stands behind its code: that may have gigabytes, and need not be looked through. */
static bool pass_bundle(struct bytes *b, struct search *s)
{
    const struct bytes whole = *b;
    uint64_t end;
    if (!read_bundle(b, s, &end))
        return false;
    if (end > whole.left - b->left && end <= whole.left)
        *b = (struct bytes){whole.at + end, whole.left - (size_t)end};
    return true;
}

static bool pass_compressed(struct bytes *b, struct search *s)
{
    char head[1 << 16]; /* more GPUs than there are */
    size_t whole;
    uint64_t end;
    struct bytes inner = {head, ls_bundle_head(b->at, b->left, head, sizeof head, &whole)};
    if (inner.left < sizeof bundle_magic - 1 || memcmp(head, bundle_magic, sizeof bundle_magic - 1) != 0 ||
        !read_bundle(&inner, s, &end))
        return false;
    b->at += whole;
    b->left -= whole;
    return true;
}

static bool begins(const struct bytes *b, const char *magic, size_t size)
{
    return b->left >= size && !memcmp(b->at, magic, size);
}

bool ls_fat_binary(const void *image, size_t bytes, void (*each)(void *context, const char *target),
                   void *context)
{
    const void *section;
    struct search s = {each, context, 0};
    struct bytes b;
    bool good = true;
    if (ls_elf_section(image, bytes, ".hip_fatbin", &section, &b.left) != 1)
        return false;
    for (b.at = section; good && b.left;) {
        if (begins(&b, bundle_magic, sizeof bundle_magic - 1))
            good = pass_bundle(&b, &s);
        else if (begins(&b, compressed_magic, sizeof compressed_magic - 1))
            good = pass_compressed(&b, &s);
        else
            b.at++, b.left--;
    }
    return good && s.found > 0;
}
