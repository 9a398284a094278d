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

const struct ls_comgr *ls_comgr(void)
{
    static const char *const names[] = {"libamd_comgr.so.3", "libamd_comgr.so.2", "libamd_comgr.so"};
    static struct ls_comgr comgr;
    static bool tried, loaded;
    /* A version that the program has already comes first: two LLVMs in one process are one too many. */
    for (int pass = 0; !tried && !loaded && pass < 2; pass++)
        for (size_t i = 0; !loaded && i < sizeof names / sizeof *names; i++) {
            void *lib = dlopen(names[i], RTLD_LAZY | (pass ? 0 : RTLD_NOLOAD));
            loaded = lib && load(lib, &comgr);
        }
    tried = true;
    return loaded ? &comgr : NULL;
}
