/* alone.c - see alone.h. */
#include "alone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "objects/elf_image.h"
#include "record_internal.h"

/* What is added to addresses of the file to make those of the GPU: the kernel descriptor has both. It has the size of
 * wavefronts, too. */
static bool displacement(struct ls_kernel *k, struct ls_isa *isa, uint64_t *out)
{
    struct ls_elf_code descriptor;
    bool found = ls_elf_names_descriptor(ls_isa_names(isa), k->mangled, &descriptor) &&
                 descriptor.size >= LS_DESCRIPTOR_BYTES;
    if (found) {
        *out = k->object - descriptor.address;
        k->registers = ls_registers_of(descriptor.code);
    }
    return found;
}

static struct ls_code_map *make_map(const struct ls_api *api, struct ls_kernel *k, struct ls_isa *isa,
                                    const struct ls_alone *a)
{
    const size_t words = sizeof(struct ls_code_map) + a->n_ranges * sizeof(struct ls_code_range);
    uint64_t moved;
    struct ls_code_map *m = displacement(k, isa, &moved) ? ls_arena_get(api, &k->code_object->agent->host,
                                                                        words + a->n_words * sizeof(uint32_t))
                                                         : NULL;
    if (!m)
        return NULL;
    *m = (struct ls_code_map){LS_CODE_MAGIC, (uint32_t)a->n_ranges, (uint32_t)words, (uint32_t)a->n_words};
    struct ls_code_range *r = (struct ls_code_range *)(m + 1);
    for (size_t i = 0; i < a->n_ranges; i++)
        r[i] = (struct ls_code_range){a->ranges[i].address + moved, a->ranges[i].n, a->ranges[i].first};
    memcpy((char *)m + words, a->words, a->n_words * sizeof(uint32_t));
    return m;
}

/* ---- the database ---- */

/* The first word of an instruction's text. */
static char *mnemonic(const char *text)
{
    return strndup(text, strcspn(text, " "));
}

static int64_t store_site(const struct ls_kernel *k, const struct ls_alone_kernel *x, uint32_t i)
{
    const struct ls_alone *a = x->table;
    const struct lanescope_site *s = &a->module.sites[i];
    char *isa = mnemonic(s->instruction), *demangled = ls_demangle(a->module.functions[i]);
    struct ls_db_frame frame = {0};
    if (s->n_frames)
        frame = (struct ls_db_frame){s->frames->file, s->frames->line, s->frames->column, demangled, 0};
    struct ls_db_site row = {.module = x->module,
                             .index = i,
                             .kernel = k->db_id,
                             .kind = s->kind,
                             .space = s->space,
                             .bytes = s->bytes,
                             .flags = s->flags,
                             .reason = a->module.raw[i].reason,
                             .instruction = s->instruction,
                             .function = a->module.functions[i],
                             .frames = &frame,
                             .n_frames = s->n_frames,
                             .isa = isa,
                             .alone = true,
                             .offset = a->offsets[i]};
    int64_t id = ls_db_add_site(ls_recorder.db, &row);
    free(isa);
    free(demangled);
    return id;
}

static void store(struct ls_kernel *k, struct ls_alone_kernel *x, struct ls_isa *isa)
{
    const struct ls_module *m = &x->table->module;
    ls_record_code_object_locked(k->code_object);
    if (!k->db_id)
        ls_record_kernel(k, isa, x->table);
    struct ls_db_module row = {
        .code_object = k->code_object->db_id, .hash = m->hash, .target = k->code_object->agent->arch};
    x->module = ls_db_add_module(ls_recorder.db, &row);
    for (uint32_t i = 0; i < m->n_sites; i++)
        x->site_ids[i] = store_site(k, x, i);
    ls_record_commit();
}

/* ---- kernels ---- */

static const char *read_kernel(const struct ls_api *api, struct ls_kernel *k, struct ls_isa *isa)
{
    const struct ls_code_object *co = k->code_object;
    const char *why;
    struct ls_alone *table = ls_alone_read(isa, k->mangled, co->agent->arch, &why);
    struct ls_alone_kernel *x = table ? calloc(1, sizeof *x) : NULL;
    if (!table)
        return why;
    if (x) {
        x->table = table;
        x->map = make_map(api, k, isa, table);
        x->site_ids = calloc(table->module.n_sites + 1u, sizeof *x->site_ids);
    }
    if (!x || !x->map || !x->site_ids) {
        if (x)
            free(x->site_ids);
        free(x);
        ls_alone_free(table);
        return "out of memory: no room for the list of its instructions";
    }
    if (ls_recorder.db)
        store(k, x, isa);
    __atomic_store_n(&k->alone, x, __ATOMIC_RELEASE);
    return NULL;
}

static const char *look_at(const struct ls_api *api, struct ls_kernel *k)
{
    struct ls_code_object *co = k->code_object;
    const char *why;
    if (!co->image)
        return k->not_instrumented; /* the runtime's own: there is no code object to read */
    if (!co->isa)
        co->isa = ls_isa_open(co->image, co->bytes, co->agent->isa, &why); /* for all kernels to come */
    return co->isa ? read_kernel(api, k, co->isa) : why;
}

const char *ls_record_alone(const struct ls_api *api, struct ls_kernel *k)
{
    pthread_mutex_lock(&ls_recorder.lock);
    if (!k->alone && !k->not_alone)
        k->not_alone = look_at(api, k);
    const char *why = k->not_alone;
    pthread_mutex_unlock(&ls_recorder.lock);
    return why;
}
