/* fat_binary.c - see fat_binary.h. A bundle is a magic, a count, and for each entry offset, size, length of
 * its name and the name, in numbers of 64 bits. What else stands in the section is padding. */
#include "fat_binary.h"
#include "elf_image.h"

#include <stdint.h>
#include <string.h>

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__", compressed_magic[] = "CCOB";

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

/* Reads the bundle whose magic was at b[-1], and leaves b behind its head. */
static bool read_bundle(struct bytes *b, void (*each)(void *context, const char *target), void *context,
                        size_t *found)
{
    enum { NAME_MAX_LENGTH = 255 };
    uint64_t n, entry[3];
    char name[NAME_MAX_LENGTH + 1];
    if (!take(b, &n, sizeof n))
        return false;
    for (; n; n--) {
        if (!take(b, entry, sizeof entry) || entry[2] > NAME_MAX_LENGTH || !take(b, name, (size_t)entry[2]))
            return false;
        name[entry[2]] = 0;
        const char *target = target_in(name);
        if (!target)
            continue;
        ++*found;
        each(context, target);
    }
    return true;
}

bool ls_fat_binary(const void *image, size_t bytes, void (*each)(void *context, const char *target),
                   void *context)
{
    const void *section;
    struct bytes b;
    size_t found = 0;
    if (ls_elf_section(image, bytes, ".hip_fatbin", &section, &b.left) != 1)
        return false;
    b.at = section;
    if (memmem(b.at, b.left, compressed_magic, sizeof compressed_magic - 1))
        return false;
    for (const char *next; (next = memmem(b.at, b.left, bundle_magic, sizeof bundle_magic - 1));) {
        b.left -= (size_t)(next - b.at) + sizeof bundle_magic - 1;
        b.at = next + sizeof bundle_magic - 1;
        if (!read_bundle(&b, each, context, &found))
            return false;
    }
    return found > 0;
}
