/* sites.c - see sites.h. */
#include "sites.h"
#include "common/vector.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "lanescope/wire.h"

/* A call chain deeper than this is damage, not a program. */
enum { MAX_DEPTH = 1024 };
/* Expanded frames of one module (48 bytes each): a guard against tables made to eat memory. */
enum { MAX_FRAMES = 1 << 22 };

struct view {
    const struct ls_sites *h;
    const struct ls_sites_more *more;     /* NULL: an older compiler's table */
    const struct ls_sites_shared *shared; /* likewise */
    const char *base, *strings;
    const struct ls_site_kernel *kernels;
    const struct ls_site *sites;
    const struct ls_site_frame *frames;
    uint32_t *depth; /* of each frame's chain, 0: not known yet */
};

static bool inside(const struct ls_sites *h, uint32_t offset, uint32_t n, size_t size)
{
    return offset >= sizeof *h && offset % 4 == 0 && offset <= h->bytes &&
           (uint64_t)n * size <= h->bytes - offset;
}

/* What newer compilers write behind the head; NULL: nothing is there. */
static const struct ls_sites_more *more_of(const struct ls_sites *h)
{
    return h->kernels >= sizeof *h + offsetof(struct ls_sites_more, parts) ? (const void *)(h + 1) : NULL;
}

static uint32_t n_parts(const struct ls_sites *h)
{
    return h->kernels >= sizeof *h + sizeof(struct ls_sites_more) ? more_of(h)->n_parts : 0;
}

static const struct ls_site_part *parts_of(const struct ls_sites *h)
{
    return n_parts(h) ? (const void *)((const char *)h + more_of(h)->parts) : NULL;
}

static const struct ls_sites_shared *shared_of(const struct ls_sites *h)
{
    const struct ls_sites_more *m = more_of(h);
    return m && m->shared ? (const void *)((const char *)h + m->shared) : NULL;
}

static bool shared_inside(const struct ls_sites *h)
{
    const struct ls_sites_shared *s = shared_of(h);
    return !s || (inside(h, more_of(h)->shared, 1, sizeof *s) &&
                  inside(h, s->leads, s->n_leads, sizeof(struct ls_site_lead)));
}

static bool more_inside(const struct ls_sites *h)
{
    const struct ls_sites_more *m = more_of(h);
    return !m || (inside(h, m->details, h->n_sites, sizeof(struct ls_site_detail)) &&
                  inside(h, m->variables, m->n_variables, sizeof(struct ls_site_variable)) &&
                  inside(h, m->branches, m->n_branches, sizeof(struct ls_site_branch)) &&
                  (!n_parts(h) || inside(h, m->parts, n_parts(h), sizeof(struct ls_site_part))));
}

static const char *check_header(const struct ls_sites *h, size_t left)
{
    if (left < sizeof *h)
        return "a block is cut off";
    if (h->magic != LS_SITES_MAGIC)
        return "a block has no magic number";
    if (h->version != LS_SITES_VERSION)
        return "a block has an unknown version";
    if (h->bytes < sizeof *h || h->bytes % 8 || h->bytes > left)
        return "a block has an impossible size";
    if (!inside(h, h->kernels, h->n_kernels, sizeof(struct ls_site_kernel)) ||
        !inside(h, h->sites, h->n_sites, sizeof(struct ls_site)) ||
        !inside(h, h->frames, h->n_frames, sizeof(struct ls_site_frame)) ||
        (h->places && !inside(h, h->places, h->n_sites, sizeof(struct ls_site_place))) || !more_inside(h) ||
        !shared_inside(h))
        return "an array lies outside its block";
    if (h->n_sites > LS_SITE_LIMIT)
        return "a block has more sites than messages can name";
    if (h->strings < sizeof *h || h->strings > h->bytes || h->n_strings > h->bytes - h->strings ||
        h->n_strings < 1)
        return "the string area lies outside its block";
    const char *s = (const char *)h + h->strings;
    if (s[0] || s[h->n_strings - 1])
        return "the string area is not terminated";
    return NULL;
}

static bool string_ok(const struct view *v, uint32_t offset)
{
    return offset < v->h->n_strings;
}

/* Length of the chain from frame f outwards; 0 when it does not end. */
static uint32_t chain_depth(struct view *v, uint32_t f)
{
    uint32_t n = 0;
    for (uint32_t i = f; i != LS_NONE; i = v->frames[i].parent) {
        if (v->depth[i]) {
            n += v->depth[i];
            break;
        }
        if (++n > MAX_DEPTH)
            return 0;
    }
    return v->depth[f] = n > MAX_DEPTH ? 0 : n;
}

static const char *check_frames(struct view *v)
{
    for (uint32_t i = 0; i < v->h->n_frames; i++) {
        const struct ls_site_frame *f = &v->frames[i];
        if (!string_ok(v, f->file) || !string_ok(v, f->function))
            return "a frame names a string outside the string area";
        if (f->parent != LS_NONE && f->parent >= v->h->n_frames)
            return "a frame has an impossible parent";
    }
    for (uint32_t i = 0; i < v->h->n_frames; i++)
        if (!chain_depth(v, i))
            return "a chain of frames does not end";
    return NULL;
}

static const char *check_kernels(const struct view *v)
{
    for (uint32_t i = 0; i < v->h->n_kernels; i++) {
        const struct ls_site_kernel *k = &v->kernels[i];
        if (!string_ok(v, k->name) || !string_ok(v, k->clone) || !string_ok(v, k->file))
            return "a kernel names a string outside the string area";
        if (!v->strings[k->name] || !v->strings[k->clone])
            return "a kernel has no name";
        if (k->ctx_offset % 8 || k->ctx_offset > 1u << 20)
            return "a kernel has an impossible context offset";
    }
    return NULL;
}

static const char *check_sites(const struct view *v)
{
    for (uint32_t i = 0; i < v->h->n_sites; i++) {
        const struct ls_site *s = &v->sites[i];
        if (s->frame != LS_NONE && s->frame >= v->h->n_frames)
            return "a site has an impossible frame";
        if (s->kernel != LS_NONE && s->kernel >= v->h->n_kernels)
            return "a site has an impossible kernel";
        if (s->kind < LS_SITE_LOAD || s->kind > LS_SITE_CALL)
            return "a site has an unknown kind";
        if (!string_ok(v, s->function) || !string_ok(v, s->instruction))
            return "a site names a string outside the string area";
    }
    return NULL;
}

static const char *check_more(const struct view *v)
{
    const struct ls_site_detail *detail = v->more ? (const void *)(v->base + v->more->details) : NULL;
    const struct ls_site_variable *variable = v->more ? (const void *)(v->base + v->more->variables) : NULL;
    const struct ls_site_branch *branch = v->more ? (const void *)(v->base + v->more->branches) : NULL;
    for (uint32_t i = 0; detail && i < v->h->n_sites; i++)
        if (detail[i].variable > v->more->n_variables || detail[i].branch > v->more->n_branches)
            return "a site has an impossible variable or branch";
    for (uint32_t i = 0; variable && i < v->more->n_variables; i++)
        if (!string_ok(v, variable[i].name) || !string_ok(v, variable[i].type) || !variable[i].element ||
            variable[i].n_dimensions > LS_DIMENSIONS)
            return "a variable is impossible";
    for (uint32_t i = 0; branch && i < v->more->n_branches; i++)
        if ((branch[i].frame != LS_NONE && branch[i].frame >= v->h->n_frames) || branch[i].outer > i)
            return "a branch is impossible";
    return NULL;
}

static const char *check_parts(const struct view *v)
{
    const struct ls_site_part *part = parts_of(v->h);
    for (uint32_t i = 0; i < n_parts(v->h); i++)
        if (part[i].site >= v->h->n_sites || part[i].frame >= v->h->n_frames ||
            (i && part[i - 1].site > part[i].site))
            return "a merged access has an impossible site or frame";
    return NULL;
}

/* Whether messages of one may stand for accesses of the other. */
static bool may_share(const struct ls_site *s)
{
    return s->flags & LS_SITE_OBSERVED && !LS_SITE_NO_ACCESS(s->kind) && s->bytes && s->bytes <= LS_PLAN_LONG;
}

static const char *check_lead(const struct view *v, const struct ls_site_lead *l,
                              const struct ls_site_lead *before)
{
    if (l->leader >= v->h->n_sites || l->follower >= v->h->n_sites)
        return "a leader or follower is no site";
    if (l->leader >= l->follower)
        return "a site leads itself or one before it";
    const struct ls_site *leader = &v->sites[l->leader], *follower = &v->sites[l->follower];
    if (leader->space != follower->space)
        return "a site leads one of another address space";
    if (!may_share(leader) || !may_share(follower))
        return "a site leads one, or follows one, that has no probes or no fixed length";
    if (leader->space == LANESCOPE_SPACE_LDS &&
        (l->distance > (int32_t)LS_LDS_MOST || l->distance < -(int32_t)LS_LDS_MOST))
        return "a site leads one farther away than LDS is large";
    if (before &&
        (before->leader > l->leader || (before->leader == l->leader && before->follower >= l->follower)))
        return "leaders are not in order, or one leads a site twice";
    return NULL;
}

/* A follower has one leader, which follows nobody. */
static const char *check_roles(const struct ls_site_lead *lead, uint32_t n, unsigned char *follows)
{
    for (uint32_t i = 0; i < n; i++) {
        if (follows[lead[i].follower])
            return "a site has two leaders";
        follows[lead[i].follower] = 1;
    }
    for (uint32_t i = 0; i < n; i++)
        if (follows[lead[i].leader])
            return "a site that follows another one leads";
    return NULL;
}

/* -2 when out of memory. */
static int check_leads(const struct view *v, const char **why)
{
    const uint32_t n = v->shared ? v->shared->n_leads : 0;
    const struct ls_site_lead *lead = n ? (const void *)(v->base + v->shared->leads) : NULL;
    for (uint32_t i = 0; i < n && !*why; i++)
        *why = check_lead(v, &lead[i], i ? &lead[i - 1] : NULL);
    if (!n || *why)
        return 0;
    unsigned char *follows = calloc(v->h->n_sites, 1);
    if (!follows)
        return -2;
    *why = check_roles(lead, n, follows);
    free(follows);
    return 0;
}

static void fill_frames(const struct view *v, uint32_t f, struct lanescope_frame *out, unsigned char *origin)
{
    for (; f != LS_NONE; f = v->frames[f].parent, out++) {
        const struct ls_site_frame *in = &v->frames[f];
        *origin++ = in->origin <= LS_FILE_SYSTEM ? (unsigned char)in->origin : LS_FILE_UNKNOWN;
        *out =
            (struct lanescope_frame){v->strings + in->file, in->line, in->column, v->strings + in->function};
    }
}

/* Gives the chain from frame f outwards room in the module's frames, once: from first[f] - 1 on. */
static void place_chain(const struct view *v, uint32_t f, uint32_t *first, uint64_t *total)
{
    if (f == LS_NONE || first[f] || *total > MAX_FRAMES)
        return;
    first[f] = (uint32_t)*total + 1;
    *total += v->depth[f];
}

static void fill_parts(const struct view *v, struct ls_module *m, const uint32_t *first)
{
    const struct ls_site_part *part = parts_of(v->h);
    for (uint32_t i = 0; i < m->n_parts; i++) {
        const uint32_t f = part[i].frame, at = first[f] - 1;
        m->parts[i] = (struct ls_module_part){part[i].site, v->depth[f], m->frames + at};
        fill_frames(v, f, m->frames + at, m->origins + at);
    }
}

/* Out of memory: -2. */
static int fill_told(struct ls_module *m)
{
    for (uint32_t i = 0; i < m->n_parts; i++) {
        const struct ls_module_part *p = &m->parts[i];
        const bool first = !i || m->parts[i - 1].site != p->site;
        if (!first || !(m->sites[p->site].flags & LS_SITE_BORROWED))
            continue;
        if (!m->told) {
            m->told = malloc(m->n_sites * sizeof *m->told);
            if (!m->told)
                return -2;
            memcpy(m->told, m->sites, m->n_sites * sizeof *m->told);
        }
        m->told[p->site].frames = p->frames;
        m->told[p->site].n_frames = p->n_frames;
    }
    return 0;
}

const struct lanescope_site *ls_sites_told(const struct ls_module *m)
{
    return m->told ? m->told : m->sites;
}

/* Each chain is expanded once, however many sites share it. */
static int fill_sites(const struct view *v, struct ls_module *m)
{
    uint64_t total = 0;
    uint32_t *first = calloc(v->h->n_frames + 1u, sizeof *first);
    if (!first)
        return -2;
    for (uint32_t i = 0; i < v->h->n_sites; i++)
        place_chain(v, v->sites[i].frame, first, &total);
    for (uint32_t i = 0; i < n_parts(v->h); i++)
        place_chain(v, parts_of(v->h)[i].frame, first, &total);
    m->n_parts = n_parts(v->h);
    m->parts = calloc(m->n_parts + 1u, sizeof *m->parts);
    m->frames = total <= MAX_FRAMES && m->parts ? calloc(total + 1, sizeof *m->frames) : NULL;
    m->origins = m->frames ? calloc(total + 1, 1) : NULL;
    if (m->origins)
        fill_parts(v, m, first);
    for (uint32_t i = 0; m->origins && i < v->h->n_sites; i++) {
        const struct ls_site *s = &v->sites[i];
        struct lanescope_site *o = &m->sites[i];
        *o = (struct lanescope_site){.kind = s->kind,
                                     .space = s->space,
                                     .align = s->align,
                                     .bytes = s->bytes,
                                     .flags = s->flags & ((1u << LS_SITE_UNUSED_SHIFT) - 1),
                                     .instruction = v->strings + s->instruction};
        m->functions[i] = v->strings + s->function;
        if (s->frame == LS_NONE)
            continue;
        o->frames = m->frames + first[s->frame] - 1;
        o->n_frames = v->depth[s->frame];
        fill_frames(v, s->frame, m->frames + first[s->frame] - 1, m->origins + first[s->frame] - 1);
    }
    free(first);
    return m->origins ? fill_told(m) : -2;
}

static void fill_variables(const struct view *v, struct lanescope_variable *out)
{
    const struct ls_site_variable *in = (const void *)(v->base + v->more->variables);
    for (uint32_t i = 0; i < v->more->n_variables; i++) {
        out[i] = (struct lanescope_variable){.name = v->strings + in[i].name,
                                             .type = v->strings + in[i].type,
                                             .element = in[i].element,
                                             .bytes = in[i].bytes,
                                             .structure = !!(in[i].flags & LS_VARIABLE_STRUCTURE),
                                             .n_dimensions = in[i].n_dimensions,
                                             .alignment = in[i].flags >> LS_VARIABLE_ALIGNMENT_SHIFT};
        memcpy(out[i].dimension, in[i].dimension, sizeof out[i].dimension);
    }
}

static void fill_branches(const struct view *v, struct lanescope_branch *out, struct lanescope_frame *where)
{
    const struct ls_site_branch *in = (const void *)(v->base + v->more->branches);
    for (uint32_t i = 0; i < v->more->n_branches; i++) {
        const struct ls_site_frame *f = in[i].frame == LS_NONE ? NULL : &v->frames[in[i].frame];
        where[i] =
            f ? (struct lanescope_frame){v->strings + f->file, f->line, f->column, v->strings + f->function}
              : (struct lanescope_frame){.file = "", .function = ""};
        out[i] = (struct lanescope_branch){&where[i], in[i].outer ? &out[in[i].outer - 1] : NULL,
                                           !!(in[i].flags & LS_BRANCH_LOOP)};
    }
}

static int fill_details(const struct view *v, struct ls_module *m)
{
    if (!v->more)
        return 0;
    const struct ls_site_detail *in = (const void *)(v->base + v->more->details);
    m->details = calloc(v->h->n_sites + 1u, sizeof *m->details);
    m->variables = calloc(v->more->n_variables + 1u, sizeof *m->variables);
    m->branches = calloc(v->more->n_branches + 1u, sizeof *m->branches);
    m->places_of_branches = calloc(v->more->n_branches + 1u, sizeof *m->places_of_branches);
    if (!m->details || !m->variables || !m->branches || !m->places_of_branches)
        return -2;
    fill_variables(v, m->variables);
    fill_branches(v, m->branches, m->places_of_branches);
    for (uint32_t i = 0; i < v->h->n_sites; i++) {
        m->details[i].variable = in[i].variable ? &m->variables[in[i].variable - 1] : NULL;
        m->details[i].branch = in[i].branch ? &m->branches[in[i].branch - 1] : NULL;
    }
    return 0;
}

static int fill_leads(const struct view *v, struct ls_module *m)
{
    const uint32_t n = v->shared ? v->shared->n_leads : 0;
    if (!n)
        return 0;
    m->leads = (const void *)(v->base + v->shared->leads);
    m->first_lead = calloc(v->h->n_sites + 1u, sizeof *m->first_lead);
    if (!m->first_lead)
        return -2;
    for (uint32_t i = 0; i < n; i++)
        m->first_lead[m->leads[i].leader + 1]++;
    for (uint32_t i = 0; i < v->h->n_sites; i++)
        m->first_lead[i + 1] += m->first_lead[i];
    return 0;
}

/* Sites that do not stand where ls_site_numbers has them get no numbers; such tables have no probes of this version. */
static void fill_numbers(struct ls_module *m)
{
    uint32_t shared = 0;
    while (shared < m->n_sites && m->raw[shared].kernel == LS_NONE)
        shared++;
    for (uint32_t k = 0; k < m->n_kernels; k++)
        m->kernels[k].numbers = (struct ls_site_numbers){.n = shared, .shared = shared};
    for (uint32_t i = shared, end; i < m->n_sites; i = end) {
        const uint32_t kernel = m->raw[i].kernel;
        for (end = i + 1; end < m->n_sites && m->raw[end].kernel == kernel;)
            end++;
        if (kernel < m->n_kernels)
            m->kernels[kernel].numbers =
                (struct ls_site_numbers){.n = shared + end - i, .shared = shared, .skip = i - shared};
    }
}

static int fill_module(const struct view *v, struct ls_module *m)
{
    const struct ls_sites *h = v->h;
    m->hash = h->module_hash;
    m->llvm_major = h->llvm_major;
    m->wire_version = h->wire_version;
    m->target = v->strings + h->target;
    m->n_kernels = h->n_kernels;
    m->n_sites = h->n_sites;
    m->raw = v->sites;
    m->places = h->places ? (const void *)(v->base + h->places) : NULL;
    m->kernels = calloc(h->n_kernels + 1u, sizeof *m->kernels);
    m->sites = calloc(h->n_sites + 1u, sizeof *m->sites);
    m->functions = calloc(h->n_sites + 1u, sizeof *m->functions);
    if (!m->kernels || !m->sites || !m->functions)
        return -2;
    for (uint32_t i = 0; i < h->n_kernels; i++) {
        const struct ls_site_kernel *k = &v->kernels[i];
        m->kernels[i] = (struct ls_module_kernel){.name = v->strings + k->name,
                                                  .clone = v->strings + k->clone,
                                                  .file = v->strings + k->file,
                                                  .ctx_offset = k->ctx_offset,
                                                  .flags = k->flags,
                                                  .line = k->line};
    }
    fill_numbers(m);
    int rc = fill_details(v, m);
    if (!rc)
        rc = fill_leads(v, m);
    return rc ? rc : fill_sites(v, m);
}

/* m->block is a private, aligned copy of the block already. */
static int parse_block(struct ls_module *m, size_t bytes, const char **why)
{
    const struct ls_sites *h = m->block;
    struct view v = {.h = h, .base = m->block};
    *why = check_header(h, bytes);
    if (*why)
        return -1;
    v.strings = v.base + h->strings;
    v.kernels = (const void *)(v.base + h->kernels);
    v.sites = (const void *)(v.base + h->sites);
    v.frames = (const void *)(v.base + h->frames);
    v.more = more_of(h);
    v.shared = shared_of(h);
    v.depth = calloc(h->n_frames + 1u, sizeof *v.depth);
    if (!v.depth)
        return -2;
    *why = string_ok(&v, h->target) ? NULL : "the target's name lies outside the string area";
    if (!*why)
        *why = check_frames(&v);
    if (!*why)
        *why = check_kernels(&v);
    if (!*why)
        *why = check_sites(&v);
    if (!*why)
        *why = check_more(&v);
    if (!*why)
        *why = check_parts(&v);
    int rc = *why ? 0 : check_leads(&v, why);
    if (!rc)
        rc = *why ? -1 : fill_module(&v, m);
    free(v.depth);
    return rc;
}

static void free_module(struct ls_module *m)
{
    free(m->kernels);
    free(m->sites);
    free(m->functions);
    free(m->frames);
    free(m->details);
    free(m->first_lead);
    free(m->parts);
    free(m->told);
    free(m->variables);
    free(m->branches);
    free(m->places_of_branches);
    free(m->origins);
    free(m->block);
}

void ls_sites_free(struct ls_module *modules, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free_module(&modules[i]);
    free(modules);
}

/* Linkers may align blocks with zeros. */
static size_t skip_padding(const unsigned char *p, size_t left)
{
    size_t n = 0;
    while (n < left && !p[n])
        n++;
    return n == left ? n : n & ~(size_t)7;
}

static int next_block(const unsigned char *p, size_t left, struct ls_module *m, size_t *used,
                      const char **why)
{
    struct ls_sites h;
    *why = "a block is cut off";
    if (left < sizeof h)
        return -1;
    memcpy(&h, p, sizeof h);
    if (h.magic == LS_SITES_MAGIC && h.bytes >= sizeof h && h.bytes <= left)
        *used = h.bytes;
    else
        *used = sizeof h; /* check_header tells what is wrong */
    m->block = malloc(*used);
    if (!m->block)
        return -2;
    memcpy(m->block, p, *used);
    int rc = parse_block(m, *used, why);
    if (rc)
        free_module(m);
    return rc;
}

int ls_sites_parse(const void *section, size_t bytes, struct ls_module **modules, size_t *n, const char **why)
{
    const unsigned char *p = section;
    size_t at = 0, used;
    struct ls_module *list = NULL;
    *n = 0;
    *why = NULL;
    while (at += skip_padding(p + at, bytes - at), at < bytes) {
        struct ls_module m = {0};
        int rc = next_block(p + at, bytes - at, &m, &used, why);
        if (rc || !LS_ROOM(list, *n)) {
            if (!rc)
                free_module(&m);
            ls_sites_free(list, *n);
            *n = 0;
            return rc ? rc : -2;
        }
        list[(*n)++] = m;
        at += used;
    }
    *modules = list;
    return 0;
}
