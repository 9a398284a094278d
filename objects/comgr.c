/* comgr.c - see comgr.h. */
#include "comgr.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define FUNCTION(name) {"amd_comgr_" #name, offsetof(struct ls_comgr, name)}

static bool load(void *lib, struct ls_comgr *c)
{
    static const struct {
        const char *symbol;
        size_t slot;
    } functions[] = {
        FUNCTION(create_disassembly_info),
        FUNCTION(destroy_disassembly_info),
        FUNCTION(disassemble_instruction),
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *f = dlsym(lib, functions[i].symbol);
        if (!f)
            return false;
        memcpy((char *)c + functions[i].slot, &f, sizeof f);
    }
    return true;
}

static bool tried, loaded;
static struct ls_comgr comgr;

static void find(int flags)
{
    static const char *const names[] = {"libamd_comgr.so.3", "libamd_comgr.so.2", "libamd_comgr.so"};
    for (size_t i = 0; !loaded && i < sizeof names / sizeof *names; i++) {
        void *lib = dlopen(names[i], flags);
        loaded = lib && load(lib, &comgr);
    }
}

const struct ls_comgr *ls_comgr(void)
{
    /* A version that the program has already comes first: two LLVMs in one process are one too many. */
    if (!tried)
        find(RTLD_LAZY | RTLD_NOLOAD);
    if (!tried)
        find(RTLD_LAZY);
    tried = true;
    return loaded ? &comgr : NULL;
}

static uint64_t read_nothing(uint64_t from, char *to, uint64_t size, void *data)
{
    (void)from, (void)to, (void)size, (void)data;
    return 0;
}

static void ignore_text(const char *text, void *data)
{
    (void)text, (void)data;
}

static void ignore_address(uint64_t address, void *data)
{
    (void)address, (void)data;
}

void ls_comgr_set_up(void)
{
    amd_comgr_disassembly_info_t info;
    find(RTLD_LAZY | RTLD_NOLOAD);
    if (loaded && comgr.create_disassembly_info("amdgcn-amd-amdhsa--gfx900", read_nothing, ignore_text,
                                                ignore_address, &info) == AMD_COMGR_STATUS_SUCCESS)
        comgr.destroy_disassembly_info(info);
}
