/* comgr.c - see comgr.h. */
#include "comgr.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Where each function's address goes. */
static const struct {
    const char *name;
    size_t at;
} functions[] = {
    {"amd_comgr_create_data", offsetof(struct comgr, create_data)},
    {"amd_comgr_release_data", offsetof(struct comgr, release_data)},
    {"amd_comgr_set_data", offsetof(struct comgr, set_data)},
    {"amd_comgr_get_data", offsetof(struct comgr, get_data)},
    {"amd_comgr_set_data_name", offsetof(struct comgr, set_data_name)},
    {"amd_comgr_get_data_name", offsetof(struct comgr, get_data_name)},
    {"amd_comgr_create_data_set", offsetof(struct comgr, create_data_set)},
    {"amd_comgr_destroy_data_set", offsetof(struct comgr, destroy_data_set)},
    {"amd_comgr_data_set_add", offsetof(struct comgr, data_set_add)},
    {"amd_comgr_action_data_count", offsetof(struct comgr, data_count)},
    {"amd_comgr_action_data_get_data", offsetof(struct comgr, data_at)},
    {"amd_comgr_action_info_get_option_list_count", offsetof(struct comgr, option_count)},
    {"amd_comgr_action_info_get_option_list_item", offsetof(struct comgr, option_at)},
    {"amd_comgr_action_info_set_option_list", offsetof(struct comgr, set_options)},
    {"amd_comgr_action_info_get_isa_name", offsetof(struct comgr, isa_name)},
};

bool comgr_load(struct comgr *c, comgr_action action)
{
    Dl_info where;
    size_t minor;
    void *lib = dladdr((void *)(uintptr_t)action, &where) ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                                                          : NULL; /* kept: we call it from now on */
    void (*version)(size_t *, size_t *) =
        lib ? (void (*)(size_t *, size_t *))(uintptr_t)dlsym(lib, "amd_comgr_get_version") : NULL;
    c->action = action;
    if (!version)
        return false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *f = dlsym(lib, functions[i].name);
        if (!f)
            return false;
        memcpy((char *)c + functions[i].at, &f, sizeof f);
    }
    version(&c->major, &minor);
    return true;
}

char *comgr_folder(const struct comgr *c)
{
    Dl_info where;
    const char *slash = dladdr((void *)(uintptr_t)c->action, &where) ? strrchr(where.dli_fname, '/') : NULL;
    return slash ? strndup(where.dli_fname, (size_t)(slash - where.dli_fname)) : NULL;
}

enum comgr_step comgr_step(const struct comgr *c, int action)
{
    static const struct {
        int two, three;
        enum comgr_step step;
    } steps[] = {
        {2, 2, STEP_SOURCE_TO_BITCODE},                          /* COMPILE_SOURCE_TO_BC */
        {0xf, COMGR3_SOURCE_TO_BITCODE, STEP_SOURCE_TO_BITCODE}, /* COMPILE_SOURCE_WITH_DEVICE_LIBS_TO_BC */
        {6, 4, STEP_GENERATE},                                   /* CODEGEN_BC_TO_RELOCATABLE */
        {-1, COMGR3_SOURCE_TO_RELOCATABLE, STEP_SOURCE_TO_CODE}, /* COMPILE_SOURCE_TO_RELOCATABLE */
        {-1, COMGR3_SOURCE_TO_EXECUTABLE, STEP_SOURCE_TO_CODE},  /* COMPILE_SOURCE_TO_EXECUTABLE */
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if ((c->major == 2 && steps[i].two == action) || (c->major == 3 && steps[i].three == action))
            return steps[i].step;
    return STEP_OTHER;
}

char *comgr_bytes(const struct comgr *c, comgr_object data, size_t *size)
{
    *size = 0;
    char *bytes = c->get_data(data, size, NULL) ? NULL : malloc(*size + 1);
    if (bytes && *size && c->get_data(data, size, bytes)) {
        free(bytes);
        return NULL;
    }
    if (bytes)
        bytes[*size] = 0;
    return bytes;
}

char *comgr_name(const struct comgr *c, comgr_object data)
{
    size_t size = 0;
    char *name = c->get_data_name(data, &size, NULL) ? NULL : calloc(size + 1, 1);
    if (name && size && c->get_data_name(data, &size, name)) {
        free(name);
        return NULL;
    }
    return name;
}

bool comgr_add(const struct comgr *c, comgr_object set, int kind, const char *name, const char *bytes,
               size_t size)
{
    comgr_object data;
    if (c->create_data(kind, &data))
        return false;
    bool ok = !c->set_data(data, size, bytes) && !c->set_data_name(data, name) && !c->data_set_add(set, data);
    c->release_data(data);
    return ok;
}

bool comgr_move(const struct comgr *c, int kind, comgr_object from, comgr_object to)
{
    size_t n = 0;
    bool ok = true;
    if (c->data_count(from, kind, &n))
        return true; /* a kind that this comgr does not know */
    for (size_t i = 0; ok && i < n; i++) {
        comgr_object data;
        ok = !c->data_at(from, kind, i, &data);
        if (ok) {
            ok = !c->data_set_add(to, data);
            c->release_data(data);
        }
    }
    return ok;
}

bool comgr_options_get(const struct comgr *c, comgr_object info, struct comgr_options *o)
{
    size_t n = 0;
    *o = (struct comgr_options){0};
    if (c->option_count(info, &n) || !(o->v = calloc(n + 1, sizeof *o->v)))
        return false;
    for (; o->n < n; o->n++) {
        size_t size = 0;
        char *word = c->option_at(info, o->n, &size, NULL) ? NULL : calloc(size + 1, 1);
        o->v[o->n] = word;
        if (!word || c->option_at(info, o->n, &size, word)) {
            free(word);
            comgr_options_free(o);
            return false;
        }
    }
    return true;
}

bool comgr_options_set(const struct comgr *c, comgr_object info, const struct comgr_options *o,
                       const char *const *more, size_t n_more)
{
    const char **all = calloc(o->n + n_more + 1, sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < o->n; i++)
        all[i] = o->v[i];
    for (size_t i = 0; i < n_more; i++)
        all[o->n + i] = more[i];
    bool ok = !c->set_options(info, all, o->n + n_more);
    free(all);
    return ok;
}

void comgr_options_free(struct comgr_options *o)
{
    for (size_t i = 0; i < o->n; i++)
        free(o->v[i]);
    free(o->v);
    *o = (struct comgr_options){0};
}
