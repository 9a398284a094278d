/*
 * ls_pass_sites.c - builds the site table (lanescope/sites.h) and puts it into the module as a constant.
 */
#include "common/hash.h"
#include "common/names.h"
#include "lanescope/wire.h"
#include "ls_command.h"
#include "ls_pass.h"

#include <inttypes.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

struct ls_string {
    char *text;
    uint32_t offset;
    UT_hash_handle hh;
};

struct ls_frame_key {
    struct ls_site_frame key;
    uint32_t index;
    UT_hash_handle hh;
};

static uint32_t add_string(struct ls_table *t, const char *s, size_t n)
{
    struct ls_string *e;
    if (!t->strings.n)
        VEC_PUSH(t->strings, 0);
    if (!n)
        return 0;
    HASH_FIND(hh, t->string_index, s, n, e);
    if (e)
        return e->offset;
    e = ls_realloc(NULL, sizeof *e);
    e->text = ls_realloc(NULL, n);
    memcpy(e->text, s, n);
    e->offset = t->strings.n;
    for (size_t i = 0; i < n; i++)
        VEC_PUSH(t->strings, s[i]);
    VEC_PUSH(t->strings, 0);
    HASH_ADD_KEYPTR(hh, t->string_index, e->text, n, e);
    return e->offset;
}

static uint32_t add_path(struct ls_table *t, LLVMMetadataRef file)
{
    if (!file)
        return 0;
    unsigned dir_len = 0, name_len = 0;
    const char *dir = LLVMDIFileGetDirectory(file, &dir_len), *name = LLVMDIFileGetFilename(file, &name_len);
    if (!name_len || name[0] == '/' || !dir_len)
        return add_string(t, name, name_len);
    char *path = ls_realloc(NULL, (size_t)dir_len + 1 + name_len);
    memcpy(path, dir, dir_len);
    path[dir_len] = '/';
    memcpy(path + dir_len + 1, name, name_len);
    uint32_t at = add_string(t, path, (size_t)dir_len + 1 + name_len);
    free(path);
    return at;
}

/* Operand i of a debug info node. The C interface has no accessors for a scope's parent and a subprogram's
 * name; their operand numbers (1 and 2) are the same in LLVM 15 to 22 (DISubprogram, DILexicalBlockBase in
 * DebugInfoMetadata.h). */
static LLVMValueRef operand(struct ls_module *m, LLVMMetadataRef node, unsigned i)
{
    LLVMValueRef value = LLVMMetadataAsValue(m->context, node);
    unsigned n = (unsigned)LLVMGetMDNodeNumOperands(value);
    LLVMValueRef *all = ls_realloc(NULL, (n + 1) * sizeof *all), found;
    LLVMGetMDNodeOperands(value, all);
    found = i < n ? all[i] : NULL;
    free(all);
    return found;
}

static uint32_t add_subprogram_name(struct ls_module *m, LLVMMetadataRef scope)
{
    while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind) {
        LLVMMetadataKind kind = LLVMGetMetadataKind(scope);
        if (kind != LLVMDILexicalBlockMetadataKind && kind != LLVMDILexicalBlockFileMetadataKind)
            return 0;
        LLVMValueRef parent = operand(m, scope, 1);
        scope = parent ? LLVMValueAsMetadata(parent) : NULL;
    }
    LLVMValueRef name = scope ? operand(m, scope, 2) : NULL;
    unsigned n = 0;
    const char *text = name ? LLVMGetMDString(name, &n) : NULL;
    return text ? add_string(&m->table, text, n) : 0;
}

static uint32_t origin_of(struct ls_table *t, const char *path)
{
    if (!*path)
        return LS_FILE_UNKNOWN;
    if (!t->knows_folders)
        t->folders = ls_system_folders();
    t->knows_folders = true;
    const char *folders = t->folders;
    char folder[LS_FOLDERS_PATH_MAX];
    if (!folders)
        return LS_FILE_UNKNOWN;
    for (size_t n; *folders; folders += n + (folders[n] == ':')) {
        n = strcspn(folders, ":");
        if (!n || n >= sizeof folder)
            continue;
        memcpy(folder, folders, n);
        folder[n] = 0;
        if (ls_below_folder(path, folder))
            return LS_FILE_SYSTEM;
    }
    return LS_FILE_USER;
}

static uint32_t add_frame(struct ls_module *m, LLVMMetadataRef location)
{
    if (!location)
        return LS_NONE;
    struct ls_frame_key *e;
    LLVMMetadataRef scope = LLVMDILocationGetScope(location);
    struct ls_site_frame f = {
        .file = add_path(&m->table, LLVMDIScopeGetFile(scope)),
        .line = LLVMDILocationGetLine(location),
        .column = LLVMDILocationGetColumn(location),
        .function = add_subprogram_name(m, scope),
        .parent = add_frame(m, LLVMDILocationGetInlinedAt(location)),
    };
    f.origin = origin_of(&m->table, f.file ? m->table.strings.v + f.file : "");
    HASH_FIND(hh, m->table.frame_index, &f, sizeof f, e);
    if (e)
        return e->index;
    e = ls_realloc(NULL, sizeof *e);
    e->key = f;
    e->index = m->table.frames.n;
    VEC_PUSH(m->table.frames, f);
    HASH_ADD(hh, m->table.frame_index, key, sizeof e->key, e);
    return e->index;
}

/* Of the branches around an access: what a reader can use. */
enum { LS_BRANCHES_MAX = 3 };

static uint32_t add_name(struct ls_module *m, LLVMValueRef function)
{
    size_t n;
    const char *s = LLVMGetValueName2(function, &n);
    return add_string(&m->table, s, n);
}

/* That of a kernel's clone, whether there is one or not. */
static uint32_t add_clone_name(struct ls_module *m, LLVMValueRef kernel)
{
    size_t n;
    const char *s = LLVMGetValueName2(kernel, &n);
    char *name = ls_realloc(NULL, sizeof LS_CLONE_PREFIX + n);
    strcpy(stpcpy(name, LS_CLONE_PREFIX), s);
    const uint32_t string = add_string(&m->table, name, strlen(name));
    free(name);
    return string;
}

uint32_t ls_add_kernel(struct ls_module *m, const struct ls_clone *c, uint32_t ctx_offset, uint32_t flags)
{
    struct ls_site_kernel k = {.ctx_offset = ctx_offset, .flags = flags};
    k.name = add_name(m, c->from);
    k.clone = add_clone_name(m, c->from);
    LLVMMetadataRef subprogram = LLVMGetSubprogram(c->from);
    if (subprogram) {
        k.file = add_path(&m->table, LLVMDIScopeGetFile(subprogram));
        k.line = LLVMDISubprogramGetLine(subprogram);
    }
    VEC_PUSH(m->table.kernels, k);
    return m->table.kernels.n - 1;
}

/* Index + 1 of the declaration of the variable in LDS that the access is in; 0: none. */
static uint32_t add_variable(struct ls_module *m, const struct ls_clone *c, const struct ls_access *a)
{
    struct ls_declaration d;
    if (a->address != LS_ADDRESS_POINTER || !ls_declaration_of(a->pointer, c->to, &d))
        return 0;
    struct ls_site_variable v = {.name = add_string(&m->table, d.name, strlen(d.name)),
                                 .type = add_string(&m->table, d.type, strlen(d.type)),
                                 .element = d.element,
                                 .bytes = d.bytes,
                                 .flags = (d.structure ? LS_VARIABLE_STRUCTURE : 0) |
                                          d.alignment << LS_VARIABLE_ALIGNMENT_SHIFT,
                                 .n_dimensions = d.n_dimensions};
    for (unsigned i = 0; i < LS_DIMENSIONS; i++)
        v.dimension[i] = d.dimension[i];
    uint32_t i = 0;
    while (i < m->table.variables.n && memcmp(&m->table.variables.v[i], &v, sizeof v))
        i++;
    if (i == m->table.variables.n)
        VEC_PUSH(m->table.variables, v);
    return i + 1;
}

/* Index + 1 of the nearest branch around the access; 0: none. The outer ones come first in the table. */
static uint32_t add_branches(struct ls_module *m, const struct ls_clone *c, const struct ls_access *a)
{
    struct ls_branch around[LS_BRANCHES_MAX];
    uint32_t outer = 0;
    for (unsigned n = ls_branches_around(c->branches, a->instruction, around, LS_BRANCHES_MAX); n > 0; n--) {
        LLVMMetadataRef where = LLVMInstructionGetDebugLoc(around[n - 1].branch);
        struct ls_site_branch b = {
            .frame = add_frame(m, where), .outer = outer, .flags = around[n - 1].loop ? LS_BRANCH_LOOP : 0};
        uint32_t i = 0;
        while (i < m->table.branches.n && memcmp(&m->table.branches.v[i], &b, sizeof b))
            i++;
        if (i == m->table.branches.n)
            VEC_PUSH(m->table.branches, b);
        outer = i + 1;
    }
    return outer;
}

/* Merged accesses: the places of those that it was made of, but for that which the site has. LoadStoreVectorizer gives a
 * store the place of what stands behind the last of them. */
static void add_parts(struct ls_module *m, uint32_t number, struct ls_site *s, LLVMValueRef instruction)
{
    LLVMMetadataRef line;
    const uint32_t first = m->table.parts.n;
    bool own = false;
    for (unsigned k = 0; (line = ls_get_merged_line(instruction, k)); k++) {
        const struct ls_site_part part = {number, add_frame(m, line)};
        bool known = part.frame == s->frame;
        own |= known;
        for (uint32_t i = first; i < m->table.parts.n; i++)
            known |= m->table.parts.v[i].frame == part.frame;
        if (!known)
            VEC_PUSH(m->table.parts, part);
    }
    if (!own && m->table.parts.n > first &&
        (ls_is_unplaced(instruction) || (s->flags & LS_SITE_MERGED && s->kind == LS_SITE_STORE)))
        s->flags |= LS_SITE_BORROWED;
}

uint32_t ls_add_site(struct ls_module *m, const struct ls_clone *c, const struct ls_access *a)
{
    if (m->table.sites.n >= LS_SITE_LIMIT)
        return LS_NONE;
    struct ls_site s = a->site;
    s.kernel = c->kernel;
    s.function = add_name(m, c->from);
    s.instruction = add_string(&m->table, a->name, strlen(a->name));
    s.frame = add_frame(m, LLVMInstructionGetDebugLoc(a->instruction));
    struct ls_site_place at = {0};
    struct ls_site_detail detail = {0};
    if (c->together && !LS_SITE_NO_ACCESS(a->site.kind)) {
        at.tag = ls_get_tag(a->instruction);
        at.merged = ls_get_merged_tag(a->instruction);
        at.loops = (uint8_t)ls_loop_depth(m->manager, a->instruction);
        at.barriers = (uint8_t)ls_barriers_before(c->together, a->instruction);
        at.together = (uint16_t)ls_executed_together(c->together, a->instruction);
        detail.variable = add_variable(m, c, a);
        detail.branch = add_branches(m, c, a);
        add_parts(m, m->table.sites.n, &s, a->instruction);
    }
    VEC_PUSH(m->table.sites, s);
    VEC_PUSH(m->table.places, at);
    VEC_PUSH(m->table.details, detail);
    return m->table.sites.n - 1;
}

/* Which module's clone the linker took can be seen in this constant (lanescope/sites.h). */
static void emit_module_mark(struct ls_module *m, const struct ls_clone *c, uint64_t hash)
{
    size_t len;
    const char *of = LLVMGetValueName2(c->from, &len);
    char *name = ls_realloc(NULL, len + sizeof LS_MODULE_SYMBOL_PREFIX);
    strcpy(stpcpy(name, LS_MODULE_SYMBOL_PREFIX), of);
    LLVMValueRef global = LLVMAddGlobalInAddressSpace(m->module, m->i64, name, /* global memory */ 1);
    LLVMSetInitializer(global, LLVMConstInt(m->i64, hash, 0));
    LLVMSetGlobalConstant(global, 1);
    LLVMSetLinkage(global, LLVMGetLinkage(c->to));
    LLVMSetVisibility(global, LLVMProtectedVisibility);
    ls_append_used(m->module, global);
    free(name);
}

static uint32_t append(char *block, uint32_t *at, const void *from, size_t bytes)
{
    uint32_t start = *at;
    if (bytes)
        memcpy(block + start, from, bytes);
    *at += (uint32_t)((bytes + 7) & ~(size_t)7);
    return start;
}

static int compare_leads(const void *a, const void *b)
{
    const struct ls_site_lead *x = a, *y = b;
    if (x->leader != y->leader)
        return x->leader < y->leader ? -1 : 1;
    return (x->follower > y->follower) - (x->follower < y->follower);
}

static void sort_leads(struct ls_table *t)
{
    if (t->leads.n)
        qsort(t->leads.v, t->leads.n, sizeof *t->leads.v, compare_leads);
}

/* Lays the block out. The hash covers its contents and the module's name,
 * so it is the same in every build. */
static char *lay_out(struct ls_module *m, uint32_t *size, uint64_t *hash)
{
    struct ls_table *t = &m->table;
    struct ls_sites head = {.magic = LS_SITES_MAGIC,
                            .version = LS_SITES_VERSION,
                            .llvm_major = ls_built_major,
                            .wire_version = LS_WIRE_VERSION,
                            .n_kernels = t->kernels.n,
                            .n_sites = t->sites.n,
                            .n_frames = t->frames.n};
    head.target = add_string(t, m->cpu, strlen(m->cpu));
    head.n_strings = t->strings.n;
    size_t kernels = t->kernels.n * sizeof *t->kernels.v, sites = t->sites.n * sizeof *t->sites.v,
           frames = t->frames.n * sizeof *t->frames.v, places = t->places.n * sizeof *t->places.v,
           details = t->details.n * sizeof *t->details.v, variables = t->variables.n * sizeof *t->variables.v,
           branches = t->branches.n * sizeof *t->branches.v, leads = t->leads.n * sizeof *t->leads.v,
           parts = t->parts.n * sizeof *t->parts.v;
    struct ls_sites_more more = {
        .n_variables = t->variables.n, .n_branches = t->branches.n, .n_parts = t->parts.n};
    struct ls_sites_shared shared = {.n_leads = t->leads.n};
    char *block = calloc(1, sizeof head + sizeof more + sizeof shared + kernels + sites + frames + places +
                                details + variables + branches + leads + parts + t->strings.n + 80);
    if (!block)
        abort();
    sort_leads(t);
    uint32_t at = sizeof head + sizeof more;
    head.kernels = append(block, &at, t->kernels.v, kernels);
    head.sites = append(block, &at, t->sites.v, sites);
    head.frames = append(block, &at, t->frames.v, frames);
    head.places = append(block, &at, t->places.v, places);
    more.details = append(block, &at, t->details.v, details);
    more.variables = append(block, &at, t->variables.v, variables);
    more.branches = append(block, &at, t->branches.v, branches);
    shared.leads = append(block, &at, t->leads.v, leads);
    more.shared = append(block, &at, &shared, sizeof shared);
    more.parts = append(block, &at, t->parts.v, parts);
    head.strings = append(block, &at, t->strings.v, t->strings.n);
    head.bytes = at;
    memcpy(block, &head, sizeof head);
    memcpy(block + sizeof head, &more, sizeof more);
    size_t n;
    const char *id = LLVMGetModuleIdentifier(m->module, &n);
    *hash = ls_hash(ls_hash(LS_HASH_BEGIN, id, n), block, at);
    head.module_hash = *hash;
    memcpy(block, &head, sizeof head);
    *size = at;
    return block;
}

void ls_emit_section(struct ls_module *m, const char *symbol, const char *section, const char *bytes,
                     unsigned size, unsigned align)
{
    LLVMValueRef value = LLVMConstStringInContext(m->context, bytes, size, /* not terminated */ 1);
    LLVMValueRef global =
        LLVMAddGlobalInAddressSpace(m->module, LLVMTypeOf(value), symbol, /* global memory */ 1);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetSection(global, section);
    LLVMSetAlignment(global, align);
    LLVMSetLinkage(global, LLVMExternalLinkage);
    LLVMSetVisibility(global, LLVMProtectedVisibility);
    ls_append_used(m->module, global);
}

void ls_emit_table(struct ls_module *m)
{
    uint32_t size;
    uint64_t hash;
    char *block = lay_out(m, &size, &hash);
    char name[sizeof LS_SITES_SYMBOL_PREFIX + 16];
    snprintf(name, sizeof name, LS_SITES_SYMBOL_PREFIX "%016" PRIx64, hash);
    ls_emit_section(m, name, LS_SITES_SECTION, block, size, 8);
    ls_emit_sources(m, hash);
    for (struct ls_clone *c = m->clones; c; c = c->hh.next)
        if (c->is_kernel && c->to && LLVMGetLinkage(c->to) == LLVMWeakODRLinkage)
            emit_module_mark(m, c, hash);
    free(block);
}

void ls_free_table(struct ls_table *t)
{
    struct ls_string *s, *s_next;
    HASH_ITER(hh, t->string_index, s, s_next)
    {
        HASH_DEL(t->string_index, s);
        free(s->text);
        free(s);
    }
    struct ls_frame_key *f, *f_next;
    HASH_ITER(hh, t->frame_index, f, f_next)
    {
        HASH_DEL(t->frame_index, f);
        free(f);
    }
    VEC_FREE(t->kernels);
    VEC_FREE(t->sites);
    VEC_FREE(t->places);
    VEC_FREE(t->frames);
    VEC_FREE(t->details);
    VEC_FREE(t->variables);
    VEC_FREE(t->branches);
    VEC_FREE(t->leads);
    VEC_FREE(t->parts);
    VEC_FREE(t->strings);
    free(t->folders);
}
