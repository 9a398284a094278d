/* record_code.c - code objects into the database: kernels, sites, hardware instructions and how they join. */
#include "record_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/sorted.h"
#include "join/code.h"
#include "join/join.h"
#include "hsa-plugin/log.h"
#include <uthash.h>

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
    for (size_t i = 0; co->module_ids && i < co->n_modules; i++) {
        struct ls_db_module m = {.code_object = co->db_id,
                                 .hash = co->modules[i].hash,
                                 .llvm_major = co->modules[i].llvm_major,
                                 .target = co->modules[i].target};
        co->module_ids[i] = ls_db_add_module(ls_recorder.db, &m);
    }
}

void ls_record_kernel(struct ls_kernel *k, struct ls_isa *isa, const struct ls_alone *alone)
{
    struct ls_code_object *co = k->code_object;
    struct ls_isa_registers original = {0}, clone = {0};
    if (isa)
        ls_isa_registers(isa, k->mangled, &original);
    if (isa && k->entry)
        ls_isa_registers(isa, k->entry->clone, &clone);
    struct ls_db_kernel x = {
        .code_object = co->db_id,
        .module = k->module && co->module_ids ? co->module_ids[ls_record_module_index(k)] : 0,
        .mangled = k->mangled,
        .demangled = k->demangled,
        .file = k->entry ? k->entry->file
                : alone  ? alone->file
                         : NULL,
        .line = k->entry ? k->entry->line
                : alone  ? alone->line
                         : 0,
        .lds_bytes = k->original.group,
        .scratch_bytes = k->original.private,
        .sgprs = original.sgprs,
        .vgprs = original.vgprs,
        .agprs = original.agprs,
        .clone_scratch_bytes = k->clone_object ? k->clone.private : 0,
        .clone_sgprs = clone.sgprs,
        .clone_vgprs = clone.vgprs,
        .clone_agprs = clone.agprs,
        .not_instrumented = k->not_instrumented,
        .lanes = k->registers.known ? ls_registers_lanes(&k->registers, co->agent->lanes) : original.lanes};
    k->db_id = ls_db_add_kernel(ls_recorder.db, &x);
}

/* Rows of a kernel's or function's instructions, and the sites that they are stored with. */
struct ls_stored_listing {
    struct ls_stored_listing *next;
    size_t module;
    uint32_t function; /* number in the join */
    size_t n;
    struct {
        int64_t row;
        uint32_t site;
        bool tells;
    } of[];
};

/* `kernel`: its row; 0: the function is none. NULL: out of memory. */
static struct ls_stored_listing *store_instructions(struct ls_code_object *co, size_t module,
                                                    const char *function, int64_t kernel,
                                                    const struct ls_isa_listing *l)
{
    struct ls_stored_listing *rows = calloc(1, sizeof *rows + l->n * sizeof rows->of[0]);
    if (rows) {
        rows->module = module;
        rows->function = LS_NONE;
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
    return rows;
}

/* malloc'd; NULL: out of memory. */
static struct ls_db_frame *frames_of(const struct ls_module *m, const struct lanescope_frame *from, size_t n)
{
    struct ls_db_frame *frames = calloc(n + 1, sizeof *frames);
    for (size_t i = 0; frames && i < n; i++)
        frames[i] = (struct ls_db_frame){from[i].file, from[i].line, from[i].column, from[i].function,
                                         m->origins[from - m->frames + i]};
    return frames;
}

/* Where the other accesses stand that the site was made of. */
static void store_parts(const struct ls_module *m, uint32_t index, int64_t id)
{
    const size_t first = LS_FIRST_NOT(m->n_parts, at, m->parts[at].site < index);
    for (size_t i = first; id > 0 && i < m->n_parts && m->parts[i].site == index; i++) {
        struct ls_db_frame *frames = frames_of(m, m->parts[i].frames, m->parts[i].n_frames);
        if (frames)
            ls_db_add_part(ls_recorder.db, id, (uint32_t)(i - first), frames, m->parts[i].n_frames);
        free(frames);
    }
}

/* `of`: the sites of its kernel. */
static int64_t store_site(const struct ls_code_object *co, size_t module, struct ls_site_list of,
                          uint32_t index, const struct ls_kernel *k, const struct ls_isa_listing *l)
{
    const struct ls_module *m = &co->modules[module];
    const struct lanescope_site *s = &m->sites[index];
    struct ls_db_frame *frames = frames_of(m, s->frames, s->n_frames);
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
    char *text = k && l && !LS_SITE_NO_ACCESS(s->kind) ? ls_join_site(m, of, index, l, &x.isa_merged) : NULL;
    x.isa = text;
    int64_t id = ls_db_add_site(ls_recorder.db, &x);
    store_parts(m, index, id);
    free(text);
    free(frames);
    return id;
}

/* The kernels of a module by their numbers in it, NULL for those that are not in the program; malloc'd. */
static struct ls_kernel **kernels_of(const struct ls_code_object *co, const struct ls_module *m)
{
    struct ls_kernel **all = calloc(m->n_kernels + 1u, sizeof(struct ls_kernel *));
    struct ls_kernel *k = __atomic_load_n(&co->kernels, __ATOMIC_ACQUIRE);
    for (; all && k; k = k->next_of_code_object)
        if (k->module == m && k->entry)
            all[k->entry - m->kernels] = k;
    return all;
}

/* Sites of one kernel (LS_NONE: of functions that several reach), while that kernel's listing is at hand. */
static void store_sites_of(struct ls_code_object *co, size_t module, struct ls_site_list of,
                           const struct ls_kernel *k, const struct ls_isa_listing *l)
{
    for (uint32_t i = 0; i < of.n; i++)
        co->site_ids[module][of.sites[i]] = store_site(co, module, of, of.sites[i], k, l);
}

/* Hands the listing to the join, and notes there as what. */
static void match_listing(struct ls_match *match, const char *name, struct ls_isa_listing *l,
                          struct ls_stored_listing *rows)
{
    const uint32_t number = ls_match_listing(match, name, l);
    if (rows)
        rows->function = number;
}

/* Names that were seen. */
struct seen_name {
    const char *name;
    UT_hash_handle hh;
};

/* Whether the name comes for the first time; out of memory: no. */
static bool first_time(struct seen_name **seen, struct seen_name *slot, const char *name)
{
    struct seen_name *old;
    HASH_FIND_STR(*seen, name, old);
    if (old)
        return false;
    slot->name = name;
    HASH_ADD_KEYPTR(hh, *seen, name, strlen(name), slot);
    return slot->hh.tbl != NULL;
}

/* Functions that are not kernels: sites of theirs belong to the kernels that call them. */
static void match_functions(struct ls_code_object *co, size_t module, struct ls_isa *isa,
                            struct ls_match *match)
{
    const struct ls_module *m = &co->modules[module];
    struct seen_name *seen = NULL, *slots = calloc((size_t)m->n_kernels + m->n_sites + 1, sizeof *slots);
    for (uint32_t k = 0; slots && k < m->n_kernels; k++)
        first_time(&seen, &slots[k], m->kernels[k].name);
    for (uint32_t i = 0; slots && i < m->n_sites; i++) {
        struct ls_isa_listing l = {0};
        const char *name = m->functions[i], *why;
        if (first_time(&seen, &slots[m->n_kernels + i], name) && ls_isa_list(isa, name, &l, &why) == 0)
            match_listing(match, name, &l, store_instructions(co, module, name, 0, &l));
        ls_isa_listing_free(&l);
    }
    HASH_CLEAR(hh, seen);
    free(slots);
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
        bool named = ls_site_is_private(m, i) && ls_match_instruction(match, i);
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

/* A kernel with its instructions and sites; k NULL: it is not in the program. */
static void store_kernel(struct ls_code_object *co, size_t module, uint32_t n, struct ls_kernel *k,
                         const struct ls_site_groups *sites, struct ls_isa *isa, struct ls_match *match)
{
    const struct ls_module *m = &co->modules[module];
    struct ls_isa_listing l = {0};
    struct ls_stored_listing *rows = NULL;
    const char *why;
    if (k) {
        ls_record_kernel(k, isa, NULL);
        if (isa && ls_record_needs() & LANESCOPE_NEEDS_CODE)
            k->code = ls_code_read(m, sites, n, isa);
        if (isa && ls_isa_list(isa, k->mangled, &l, &why) == 0)
            rows = store_instructions(co, module, m->kernels[n].name, k->db_id, &l);
        else if (isa)
            ls_log(LS_LOG_INFO, "%s: no disassembly: %s", k->demangled, why);
    }
    store_sites_of(co, module, ls_site_group(sites, n), k, &l);
    if (match && k)
        match_listing(match, m->kernels[n].name, &l, rows);
    ls_isa_listing_free(&l);
}

static void store_kernels(struct ls_code_object *co, size_t module, struct ls_isa *isa,
                          struct ls_match *match)
{
    const struct ls_module *m = &co->modules[module];
    struct ls_kernel **kernels = kernels_of(co, m);
    struct ls_site_groups sites;
    bool grouped = ls_site_groups_make(&sites, m);
    for (uint32_t n = 0; kernels && grouped && n < m->n_kernels; n++)
        store_kernel(co, module, n, kernels[n], &sites, isa, match);
    if (!kernels || !grouped)
        ls_record_note_locked(LS_LOG_ERROR, "sites of a code object are not recorded: out of memory");
    store_sites_of(co, module, ls_site_group(&sites, LS_NONE), NULL, NULL);
    ls_site_groups_free(&sites);
    free(kernels);
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
    store_kernels(co, module, isa, match);
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
    if (atomic_load(&co->recorded))
        return;
    pthread_mutex_lock(&ls_recorder.lock);
    ls_record_code_object_locked(co);
    atomic_store(&co->recorded, co->stored);
    pthread_mutex_unlock(&ls_recorder.lock);
}
