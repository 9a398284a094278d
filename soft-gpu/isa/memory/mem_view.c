/*
 * mem_view.c - the address of every lane of a memory instruction, spelled out, and the lane-by-lane
 * execution built on it. This is the slow path: mixed apertures, buffers with lanes out of bounds,
 * mappings that end inside a row, unaligned private accesses - and faults.
 */
#include "mem_lanes.h"

#define VA_BITS ((1ull << 48) - 1)

static void begin(struct sg_mem_view *view, enum sg_access_space space, uint64_t mask, uint32_t pitch)
{
    view->space = space;
    view->mask = mask;
    view->bad = 0;
    view->pitch = pitch;
    for (unsigned k = 0; k < 4; k++)
        view->ok[k] = mask;
}

static void lane_at(struct sg_mem_view *view, unsigned lane, uint64_t base, uint32_t off)
{
    view->base[lane] = base;
    view->off[lane] = off;
}

/* LDS accesses beyond the work-group's allocation read 0 and drop writes, as a whole. */
static void bound_lds(const struct sg_wave *w, struct sg_mem_view *view, unsigned bytes)
{
    uint64_t inside = 0;
    for (uint64_t m = view->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        if (view->base[lane] + bytes <= w->wg->lds_bytes)
            inside |= 1ull << lane;
    }
    for (unsigned k = 0; k < 4; k++)
        view->ok[k] = inside;
}

/* `offset` counts from the lane's own private memory. */
static void private_lane(const struct sg_wave *w, struct sg_mem_view *view, unsigned lane, uint64_t base,
                         uint32_t offset, unsigned bytes)
{
    lane_at(view, lane, base + lane * 4, offset);
    if ((uint64_t)offset + bytes > sg_scratch_limit(w))
        view->bad |= 1ull << lane;
}

static unsigned flat_views(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s,
                           unsigned bytes, struct sg_mem_view view[3])
{
    const uint64_t shared = sg_aperture(w, true) >> 32, private = sg_aperture(w, false) >> 32;
    uint64_t in[3] = {0, 0, 0}, va[SG_MAX_LANES];
    for (uint64_t m = w->exec; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        va[lane] = (v[u->a][lane] | (uint64_t)v[u->a + 1][lane] << 32) + (uint64_t)(int64_t)u->imm;
        uint64_t high = va[lane] >> 32;
        in[high == shared ? 1 : high == private ? 2 : 0] |= 1ull << lane;
    }
    unsigned n = 0;
    if (in[0]) {
        begin(&view[n], SG_SPACE_GLOBAL, in[0], 4);
        for (uint64_t m = in[0]; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(m);
            lane_at(&view[n], lane, va[lane], 0);
        }
        n++;
    }
    if (in[1]) {
        begin(&view[n], SG_SPACE_LDS, in[1], 4);
        for (uint64_t m = in[1]; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(m);
            lane_at(&view[n], lane, (uint32_t)va[lane], 0);
        }
        bound_lds(w, &view[n], bytes);
        view[n].bad = view[n].mask & ~view[n].ok[0];
        n++;
    }
    if (in[2]) {
        uint64_t base = sg_scratch_base(w, s);
        begin(&view[n], SG_SPACE_SCRATCH, in[2], 4 * w->lanes);
        for (uint64_t m = in[2]; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(m);
            private_lane(w, &view[n], lane, base, (uint32_t)va[lane], bytes);
        }
        n++;
    }
    return n;
}

/* CDNA3 ISA guide, "Buffer Addressing" and "Range Checking". The register's and the instruction's offset make a
 * sum of 32 bits, which may wrap around (docs/hardware.md). Word 3's DATA_FORMAT gives the upper stride bits
 * when ADD_TID is on; the element size of swizzled buffers is 4 bytes on gfx9. */
static void buffer_view(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s,
                        unsigned bytes, struct sg_mem_view *view)
{
    const uint32_t *d = s + u->c;
    const uint64_t base = (d[0] | (uint64_t)(d[1] & 0xffff) << 32) + s[u->x];
    const bool swizzle = d[1] >> 31, add_tid = d[3] >> 23 & 1;
    const bool later = w->arch->family->buffers == LS_BUFFER_GFX10;
    const uint64_t stride = (d[1] >> 16 & 0x3fff) | (add_tid && !later ? (d[3] >> 15 & 0xf) << 14 : 0);
    const uint64_t index_stride = 8u << (d[3] >> 21 & 3);
    const enum sg_bounds bounds = later ? (enum sg_bounds)(d[3] >> 28 & 3) : SG_BOUNDS_RAW;
    const bool structured = bounds == SG_BOUNDS_RAW ? swizzle && stride : bounds != SG_BOUNDS_NONE;
    const int64_t limit = bounds == SG_BOUNDS_NONE    ? d[2] ? INT64_MAX : 0
                          : bounds == SG_BOUNDS_INDEX ? INT64_MAX
                          : structured                ? (int64_t)stride
                                                      : (int64_t)d[2] - (int64_t)s[u->x];
    begin(view, swizzle && add_tid ? SG_SPACE_SCRATCH : SG_SPACE_GLOBAL, w->exec,
          swizzle ? 4 * (uint32_t)index_stride : 4);
    memset(view->ok, 0, sizeof view->ok);
    for (uint64_t m = w->exec; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        bool idxen = u->flags & SG_MF_IDXEN;
        uint64_t index = (idxen ? v[u->a][lane] : 0) + (add_tid ? (uint64_t)lane : 0);
        uint32_t vgpr = u->flags & SG_MF_OFFEN ? v[u->a + (idxen ? 1 : 0)][lane] : 0;
        uint64_t off = vgpr + (uint32_t)u->imm;
        if (swizzle)
            lane_at(view, lane,
                    (base + index / index_stride * stride * index_stride + index % index_stride * 4) &
                        VA_BITS,
                    (uint32_t)off);
        else
            lane_at(view, lane, (base + off + stride * index) & VA_BITS, 0);
        if (structured && index >= d[2])
            continue;
        if (!structured)
            off += stride * index;
        for (unsigned k = 0; k * 4 < bytes; k++) {
            unsigned part = bytes - k * 4 < 4 ? bytes - k * 4 : 4;
            if ((int64_t)(off + k * 4 + part) <= limit)
                view->ok[k] |= 1ull << lane;
        }
    }
}

unsigned sg_mem_views(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s, unsigned bytes,
                      struct sg_mem_view view[3])
{
    if (!w->exec)
        return 0;
    const int64_t imm = u->imm;
    uint64_t m = w->exec;
    const uint64_t global = u->flags & SG_MF_LOW_LANES ? (uint32_t)m : m;
    switch (sg_uop_mode(u)) {
    case SG_MODE_FLAT:
        return flat_views(w, u, v, s, bytes, view);
    case SG_MODE_BUFFER:
        buffer_view(w, u, v, s, bytes, view);
        return 1;
    case SG_MODE_GLOBAL:
        begin(view, SG_SPACE_GLOBAL, global, 4);
        for (m = global; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctzll(m);
            lane_at(view, i, (v[u->a][i] | (uint64_t)v[u->a + 1][i] << 32) + (uint64_t)imm, 0);
        }
        return 1;
    case SG_MODE_SADDR:
        begin(view, SG_SPACE_GLOBAL, global, 4);
        for (m = global; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctzll(m);
            lane_at(view, i, sg_s64(s, u->c) + v[u->a][i] + (uint64_t)imm, 0);
        }
        return 1;
    case SG_MODE_SCRATCH: {
        uint64_t base = sg_scratch_base(w, s);
        begin(view, SG_SPACE_SCRATCH, m, 4 * w->lanes);
        for (; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctzll(m);
            uint32_t vaddr = u->flags & SG_MF_NO_VADDR ? 0 : v[u->a][i];
            private_lane(w, view, i, base, vaddr + s[u->c] + (uint32_t)imm, bytes);
        }
        return 1;
    }
    case SG_MODE_LDS:
    case SG_MODE_LDS_TID:
        begin(view, SG_SPACE_LDS, m, 4);
        for (; m; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctzll(m);
            uint32_t at = sg_uop_mode(u) == SG_MODE_LDS ? v[u->a][i] : (s[SG_S_M0] & u->x) + u->a * i;
            lane_at(view, i, (uint32_t)(at + (uint32_t)imm), 0);
        }
        bound_lds(w, view, bytes);
        return 1;
    default:
        return 0;
    }
}

int sg_fault_page(struct sg_wave *w, const struct sg_uop *u, uint64_t va, unsigned lane, bool is_write)
{
    const struct sg_range *r = sg_tlb_range(w->tlb, va);
    const char *what = !r         ? "access to an unmapped GPU address"
                       : is_write ? "write to a read-only GPU address"
                                  : "read of a GPU address without read permission";
    return sg_fault_at(w, u, SG_FAULT_PAGE, va, lane, is_write, what);
}

int sg_view_check(struct sg_wave *w, const struct sg_uop *u, const struct sg_mem_view *view, bool is_write)
{
    if (!view->bad)
        return 0;
    unsigned lane = (unsigned)__builtin_ctzll(view->bad);
    if (view->space == SG_SPACE_LDS)
        return sg_fault_at(w, u, SG_FAULT_APERTURE, sg_aperture(w, true) + view->base[lane], lane, is_write,
                           "flat access beyond the work-group's LDS");
    return sg_fault_at(w, u, SG_FAULT_APERTURE, sg_aperture(w, false) + view->off[lane], lane, is_write,
                       "access beyond the work-item's private memory");
}

/* Bytes from `off` that are contiguous in memory and at most a dword. */
static unsigned piece(const struct sg_mem_view *view, uint32_t off, unsigned left)
{
    unsigned room = view->pitch == 4 ? 4 : 4 - off % 4;
    return left < room ? left : room;
}

static bool copy_piece(struct sg_wave *w, uint64_t va, void *host_side, unsigned n, bool write,
                       uint64_t *bad_va)
{
    const struct sg_range *r = sg_tlb_range(w->tlb, va);
    if (!r || !(r->flags & (write ? SG_RANGE_WRITE : SG_RANGE_READ))) {
        *bad_va = va;
        return false;
    }
    if (r->hi - va < n) { /* the mapping ends inside the piece */
        for (unsigned i = 0; i < n; i++)
            if (!copy_piece(w, va + i, (uint8_t *)host_side + i, 1, write, bad_va))
                return false;
        return true;
    }
    void *guest = (void *)(uintptr_t)(va + (uint64_t)r->delta);
    void *to = write ? guest : host_side;
    const void *from = write ? host_side : guest;
    if (n == 4) /* one access: polled flags must not tear */
        *(sg_u32u *)to = *(const sg_u32u *)from;
    else if (n == 2)
        *(sg_u16u *)to = *(const sg_u16u *)from;
    else
        for (unsigned i = 0; i < n; i++)
            ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
    return true;
}

/* Two to four dwords of shared memory as one access, when they lie in one mapping; else false. */
static bool copy_whole(struct sg_wave *w, uint64_t va, void *host_side, unsigned n, bool write)
{
    uint8_t *guest = sg_host(w, va, n, write ? SG_RANGE_WRITE : SG_RANGE_READ);
    sg_v4 x = {0};
    if (!guest)
        return false;
    if (write) {
        memcpy(&x, host_side, n);
        sg_whole_store(guest, x, n / 4);
    } else {
        x = sg_whole_load(guest, n / 4);
        memcpy(host_side, &x, n);
    }
    return true;
}

/* In range with all of its dwords, and dwords that follow each other in memory? */
static bool is_whole(const struct sg_mem_view *view, unsigned lane, unsigned n)
{
    uint64_t inside = view->mask;
    for (unsigned k = 0; k * 4 < n; k++)
        inside &= view->ok[k];
    return n >= 8 && n <= 16 && n % 4 == 0 && view->space == SG_SPACE_GLOBAL && view->pitch == 4 &&
           inside >> lane & 1;
}

static bool view_copy(struct sg_wave *w, const struct sg_mem_view *view, unsigned lane, void *data,
                      unsigned n, bool write, uint64_t *bad_va)
{
    uint8_t *bytes = data;
    if (is_whole(view, lane, n) && copy_whole(w, view->base[lane] + view->off[lane], data, n, write))
        return true;
    for (unsigned j = 0; j < n;) {
        uint32_t off = view->off[lane] + j;
        unsigned len = piece(view, off, n - j);
        if (j % 4 + len > 4) /* bounds are kept per dword of the access */
            len = 4 - j % 4;
        bool inside = view->ok[j / 4] >> lane & 1;
        if (!inside) {
            if (!write)
                memset(bytes + j, 0, len);
        } else if (view->space == SG_SPACE_LDS) {
            uint8_t *lds = w->wg->lds + view->base[lane] + off;
            memcpy(write ? lds : bytes + j, write ? bytes + j : lds, len);
        } else if (!copy_piece(w, view->base[lane] + (uint64_t)(off / 4) * view->pitch + off % 4, bytes + j,
                               len, write, bad_va)) {
            return false;
        }
        j += len;
    }
    return true;
}

bool sg_view_read(struct sg_wave *w, const struct sg_mem_view *view, unsigned lane, void *out, unsigned n,
                  uint64_t *va)
{
    return view_copy(w, view, lane, out, n, false, va);
}

bool sg_view_write(struct sg_wave *w, const struct sg_mem_view *view, unsigned lane, const void *in,
                   unsigned n, uint64_t *va)
{
    return view_copy(w, view, lane, (void *)(uintptr_t)in, n, true, va);
}

int sg_mem_slow_load(SG_ARGS)
{
    struct sg_mem_view view[3];
    const enum sg_mem_elem e = sg_uop_elem(u);
    const unsigned bytes = sg_elem_bytes(e), n = sg_mem_views(w, u, v, s, bytes, view);
    const uint32_t kept = sg_elem_kept(w, e);
    for (unsigned k = 0; k < n; k++) {
        int stop = sg_view_check(w, u, &view[k], false);
        if (stop)
            return stop;
        for (uint64_t m = view[k].mask; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(m);
            uint32_t data[4];
            uint64_t va;
            if (!sg_view_read(w, &view[k], lane, data, bytes, &va))
                return sg_fault_page(w, u, va, lane, false);
            if (bytes < 4)
                v[u->d][lane] = sg_elem_load(data, e) | (v[u->d][lane] & kept);
            else
                for (unsigned i = 0; i < bytes / 4; i++)
                    v[u->d + i][lane] = data[i];
        }
    }
    return 0;
}

int sg_mem_slow_store(SG_ARGS)
{
    struct sg_mem_view view[3];
    const enum sg_mem_elem e = sg_uop_elem(u);
    const unsigned bytes = sg_elem_bytes(e), n = sg_mem_views(w, u, v, s, bytes, view);
    for (unsigned k = 0; k < n; k++) {
        int stop = sg_view_check(w, u, &view[k], true);
        if (stop)
            return stop;
        for (uint64_t m = view[k].mask; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(m);
            uint32_t data[4];
            uint64_t va;
            if (bytes < 4)
                sg_elem_store(data, e, v[u->b][lane]);
            else
                for (unsigned i = 0; i < bytes / 4; i++)
                    data[i] = v[u->b + i][lane];
            if (!sg_view_write(w, &view[k], lane, data, bytes, &va))
                return sg_fault_page(w, u, va, lane, true);
        }
    }
    return 0;
}
