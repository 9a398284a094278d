/* record_code.c - code objects into the database: kernels, sites, hardware instructions and how they join. */
#include "record_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "join/code.h"
#include "join/join.h"
#include "hsa-plugin/log.h"

/* What a reader has to know of code that was generated at run time. */
static void note_compiler(const struct ls_code_object *co)
{
    char text[1024], *original = ls_note_value(co->compiler, "original"),
                     *code = ls_note_value(co->compiler, "code");
    char *kernel = ls_note_value(co->compiler, "kernel");
    if (original && !strncmp(original, "changed", strlen("changed"))) {
        snprintf(text, sizeof text,
                 "%s: the original beside the clone is not the kernel that Triton makes alone: %s",
                 kernel ? kernel : "a kernel", original);
        ls_record_note_locked(LS_LOG_WARNING, text);
    }
    if (code && !strncmp(code, "llvm-", strlen("llvm-"))) {
        snprintf(text, sizeof text,
                 "kernels of Triton are machine code of LLVM %s, not of the older LLVM inside this Triton",
                 code + strlen("llvm-"));
        ls_record_note_locked(LS_LOG_INFO, text);
    }
    free(original);
    free(code);
    free(kernel);
}

static void store_code_object(struct ls_code_object *co)
{
    struct ls_db_code_object x = {.agent = co->agent->db_id,
                                  .uri = co->uri,
                                  .bytes = co->bytes,
                                  .load_base = co->load_base,
                                  .instrumented = co->n_modules != 0,
                                  .compiler = co->compiler};
    co->stored = true;
    co->db_id = ls_db_add_code_object(ls_recorder.db, &x);
    note_compiler(co);
    if (co->damage) {
        char text[512];
        snprintf(text, sizeof text, "%s: site table not usable: %s", co->uri ? co->uri : "code object",
                 co->damage);
        ls_record_note_locked(LS_LOG_WARNING, text);
    }
    co->module_ids = calloc(co->n_modules + 1, sizeof *co->module_ids);
    co->site_ids = calloc(co->n_modules + 1, sizeof *co->site_ids);
    co->match = calloc(co->n_modules + 1, sizeof(struct ls_match *));
    co->site_state = calloc(co->n_modules + 1, sizeof *co->site_state);
    co->estimated = calloc(co->n_modules + 1, sizeof *co->estimated);
    co->reductions = calloc(co->n_modules + 1, sizeof(struct ls_reduction *));
    for (size_t i = 0; co->module_ids && i < co->n_modules; i++) {
        struct ls_db_module m = {.code_object = co->db_id,
                                 .hash = co->modules[i].hash,
                                 .llvm_major = co->modules[i].llvm_major,
                                 .target = co->modules[i].target};
        co->module_ids[i] = ls_db_add_module(ls_recorder.db, &m);
    }
}

void ls_record_kernel(struct ls_kernel *k, struct ls_isa *isa)
{
    struct ls_code_object *co = k->code_object;
    struct ls_isa_registers original = {0}, clone = {0};
    if (isa)
        ls_isa_registers(isa, k->mangled, &original);
    if (isa && k->entry)
        ls_isa_registers(isa, k->entry->clone, &clone);
    struct ls_db_kernel x = {.code_object = co->db_id,
                             .module =
                                 k->module && co->module_ids ? co->module_ids[ls_record_module_index(k)] : 0,
                             .mangled = k->mangled,
                             .demangled = k->demangled,
                             .file = k->entry ? k->entry->file : NULL,
                             .line = k->entry ? k->entry->line : 0,
                             .lds_bytes = k->original.group,
                             .scratch_bytes = k->original.private,
                             .sgprs = original.sgprs,
                             .vgprs = original.vgprs,
                             .agprs = original.agprs,
                             .clone_scratch_bytes = k->clone_object ? k->clone.private : 0,
                             .clone_sgprs = clone.sgprs,
                             .clone_vgprs = clone.vgprs,
                             .clone_agprs = clone.agprs,
                             .not_instrumented = k->not_instrumented};
    k->db_id = ls_db_add_kernel(ls_recorder.db, &x);
}

/* Rows of a kernel's or function's instructions, and the sites that they are stored with. */
struct ls_stored_listing {
    struct ls_stored_listing *next;
    size_t module;
    const char *function; /* linkage name */
    size_t n;
    struct {
        int64_t row;
        uint32_t site;
        bool tells;
    } of[];
};

/* `kernel`: its row; 0: the function is none. */
static void store_instructions(struct ls_code_object *co, size_t module, const char *function, int64_t kernel,
                               const struct ls_isa_listing *l)
{
    struct ls_stored_listing *rows = calloc(1, sizeof *rows + l->n * sizeof rows->of[0]);
    if (rows) {
        rows->module = module;
        rows->function = function;
        rows->next = co->listings;
        co->listings = rows;
    }
    for (size_t i = 0; i < l->n; i++) {
        struct ls_db_instruction x = {.kernel = kernel,
                                      .function = kernel ? NULL : function,
                                      .module = co->module_ids[module],
                                      .offset = l->items[i].offset,
                                      .text = l->items[i].text,
                                      .file = l->items[i].file,
                                      .line = l->items[i].line,
                                      .column = l->items[i].column,
                                      .vector = ls_isa_is_vector(&l->items[i].form),
                                      .together = l->items[i].together};
        int64_t row = ls_db_add_instruction(ls_recorder.db, &x);
        if (!rows)
            continue;
        rows->n = i + 1;
        rows->of[i].row = row;
        rows->of[i].site = LS_NONE;
        rows->of[i].tells = false;
    }
}

static int64_t store_site(const struct ls_code_object *co, size_t module, uint32_t index,
                          const struct ls_kernel *k, const struct ls_isa_listing *l)
{
    const struct ls_module *m = &co->modules[module];
    const struct lanescope_site *s = &m->sites[index];
    struct ls_db_frame *frames = calloc(s->n_frames + 1u, sizeof *frames);
    struct ls_db_site x = {.module = co->module_ids[module],
                           .index = index,
                           .kernel = k ? k->db_id : 0,
                           .kind = s->kind,
                           .space = s->space,
                           .bytes = s->bytes,
                           .align = s->align,
                           .flags = s->flags,
                           .reason = m->raw[index].reason,
                           .instruction = s->instruction,
                           .function = m->functions[index],
                           .frames = frames,
                           .n_frames = frames ? s->n_frames : 0};
    for (size_t i = 0; i < x.n_frames; i++)
        frames[i] = (struct ls_db_frame){s->frames[i].file, s->frames[i].line, s->frames[i].column,
                                         s->frames[i].function, m->origins[s->frames - m->frames + i]};
    char *text = k && l && !LS_SITE_NO_ACCESS(s->kind)
                     ? ls_join_site(m, m->raw[index].kernel, index, l, &x.isa_merged)
                     : NULL;
    x.isa = text;
    int64_t id = ls_db_add_site(ls_recorder.db, &x);
    free(text);
    free(frames);
    return id;
}

static struct ls_kernel *kernel_of_entry(const struct ls_code_object *co, const struct ls_module *m,
                                         uint32_t n)
{
    for (struct ls_kernel *k = __atomic_load_n(&co->kernels, __ATOMIC_ACQUIRE); k; k = k->next_of_code_object)
        if (k->module == m && k->entry == &m->kernels[n])
            return k;
    return NULL;
}

/* Sites of one kernel (LS_NONE: of functions that several reach), while that kernel's listing is at hand. */
static void store_sites_of(struct ls_code_object *co, size_t module, uint32_t kernel,
                           const struct ls_kernel *k, const struct ls_isa_listing *l)
{
    const struct ls_module *m = &co->modules[module];
    for (uint32_t i = 0; i < m->n_sites; i++)
        if (m->raw[i].kernel == kernel)
            co->site_ids[module][i] = store_site(co, module, i, k, l);
}

/* Functions that are not kernels: sites of theirs belong to the kernels that call them. */
static void match_functions(struct ls_code_object *co, size_t module, struct ls_isa *isa,
                            struct ls_match *match)
{
    const struct ls_module *m = &co->modules[module];
    for (uint32_t i = 0; i < m->n_sites; i++) {
        struct ls_isa_listing l = {0};
        const char *name = m->functions[i], *why;
        bool known = false;
        for (uint32_t k = 0; k < m->n_kernels && !known; k++)
            known = !strcmp(m->kernels[k].name, name);
        for (uint32_t k = 0; k < i && !known; k++)
            known = !strcmp(m->functions[k], name);
        if (!known && ls_isa_list(isa, name, &l, &why) == 0) {
            store_instructions(co, module, name, 0, &l);
            ls_match_listing(match, name, &l);
        }
        ls_isa_listing_free(&l);
    }
}

void ls_record_store_joins(struct ls_code_object *co, size_t module)
{
    const struct ls_module *m = &co->modules[module];
    struct ls_match *match = co->match[module];
    if (!ls_match_changed(match))
        return;
    for (uint32_t i = 0; i < m->n_sites; i++) {
        enum ls_match_state state = ls_match_state(match, i);
        const struct lanescope_site *s = &m->sites[i];
        const struct ls_isa_instruction *at = ls_match_instruction(match, i);
        /* The place of an access that the vectoriser made is that of any of its parts; the hardware's is
         * right. */
        if (at && s->n_frames && s->frames[0].line &&
            (!(s->flags & LS_SITE_MERGED) || at->line == s->frames[0].line || !at->line))
            at = NULL;
        bool named = s->space == 5 && ls_match_instruction(match, i);
        unsigned char now = (unsigned char)(named ? 0x80 : state);
        if ((!now && !co->site_state[module][i]) || co->site_ids[module][i] <= 0)
            continue;
        bool scalar = state == LS_MATCH_SCALAR;
        uint32_t lead = ls_match_counted_at(match, i);
        char *text = ls_match_text(match, i);
        struct ls_db_frame frame = {at ? at->file : NULL, at ? at->line : 0, at ? at->column : 0,
                                    m->functions[i], 0};
        struct ls_db_join j = {.isa = text,
                               .merged = state == LS_MATCH_SHARED,
                               .state = state,
                               .flags = scalar ? s->flags & ~(uint32_t)LS_SITE_OBSERVED : s->flags,
                               .reason = scalar ? LS_REASON_SCALAR : m->raw[i].reason,
                               .frame = at && at->file ? &frame : NULL,
                               .counted_at = lead == LS_NONE || lead == i ? 0 : co->site_ids[module][lead]};
        ls_db_join_site(ls_recorder.db, co->site_ids[module][i], &j);
        co->site_state[module][i] = now;
        free(text);
    }
    for (struct ls_stored_listing *l = co->listings; l; l = l->next)
        for (size_t i = 0; l->module == module && i < l->n; i++) {
            uint32_t site = ls_match_site(match, l->function, i);
            bool tells = site != LS_NONE && ls_match_tells(match, site);
            if (site != l->of[i].site || tells != l->of[i].tells)
                ls_db_join_instruction(ls_recorder.db, l->of[i].row,
                                       site == LS_NONE ? 0 : co->site_ids[module][site], tells);
            l->of[i].site = site;
            l->of[i].tells = tells;
        }
}

static void store_module(struct ls_code_object *co, size_t module, struct ls_isa *isa)
{
    const struct ls_module *m = &co->modules[module];
    co->site_ids[module] = calloc(m->n_sites + 1u, sizeof(int64_t));
    if (co->estimated)
        co->estimated[module] = calloc(m->n_sites + 1u, 1);
    if (!co->site_ids[module])
        return;
    struct ls_match *match = isa ? ls_match_create(m) : NULL;
    co->site_state[module] = match ? calloc(m->n_sites + 1u, 1) : NULL;
    for (uint32_t n = 0; n < m->n_kernels; n++) {
        struct ls_isa_listing l = {0};
        const char *why;
        struct ls_kernel *k = kernel_of_entry(co, m, n);
        if (k) {
            ls_record_kernel(k, isa);
            if (isa && ls_record_needs() & LANESCOPE_NEEDS_CODE)
                k->code = ls_code_read(m, n, isa);
            if (isa && ls_isa_list(isa, k->mangled, &l, &why) == 0)
                store_instructions(co, module, m->kernels[n].name, k->db_id, &l);
            else if (isa)
                ls_log(LS_LOG_INFO, "%s: no disassembly: %s", k->demangled, why);
        }
        store_sites_of(co, module, n, k, &l);
        if (match && k)
            ls_match_listing(match, m->kernels[n].name, &l);
        ls_isa_listing_free(&l);
    }
    store_sites_of(co, module, LS_NONE, NULL, NULL);
    if (!match || !co->site_state[module])
        return;
    match_functions(co, module, isa, match);
    pthread_mutex_lock(&ls_recorder.match_lock);
    ls_match_solve(match);
    co->match[module] = match;
    ls_record_store_joins(co, module);
    pthread_mutex_unlock(&ls_recorder.match_lock);
}

void ls_record_code_object_locked(struct ls_code_object *co)
{
    const char *why = NULL;
    if (!ls_recorder.db || co->stored)
        return;
    store_code_object(co);
    if (!co->n_modules || !co->module_ids || !co->site_ids || !co->match || !co->site_state)
        return;
    struct ls_isa *isa = co->image ? ls_isa_open(co->image, co->bytes, co->agent->isa, &why) : NULL;
    if (why) {
        char text[256];
        snprintf(text, sizeof text, "no hardware instructions are listed: %s", why);
        ls_record_note_locked(LS_LOG_WARNING, text);
    }
    for (size_t i = 0; i < co->n_modules; i++)
        store_module(co, i, isa);
    ls_record_sources(co);
    if (isa)
        ls_isa_close(isa);
    if (!co->keeps_image) {
        free(co->image);
        co->image = NULL;
    }
    ls_record_commit();
}

void ls_record_code_object(struct ls_code_object *co)
{
    pthread_mutex_lock(&ls_recorder.lock);
    ls_record_code_object_locked(co);
    pthread_mutex_unlock(&ls_recorder.lock);
}
