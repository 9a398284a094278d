/*
 * mem_internal.h - shared by the handlers of memory instructions (mem_*.c) and their builders (build_mem*.c).
 *
 * Fields of a memory micro-operation:
 *   d     first destination row (loads; atomics that return)
 *   a     address row: low half of a 64-bit address, 32-bit offset, or LDS byte address
 *   b     first data row of stores and atomics
 *   c     scalar index of the 64-bit base, the 32-bit scratch offset or the 4-word buffer descriptor (V#);
 *         LDS: row of the second data operand
 *   imm   byte offset from the instruction
 *   x     MUBUF, MTBUF: scalar index of soffset. LDS "2" forms: byte offset of the second access
 *   flags SG_MF_*
 *
 * Each instruction has a fast handler for the usual address patterns; what it does not cover goes through a
 * `view`: the address of every lane, spelled out (mem_view.c). The view is also what the access log prints.
 */
#ifndef SOFT_GPU_ISA_MEM_INTERNAL_H
#define SOFT_GPU_ISA_MEM_INTERNAL_H

#include <string.h>
#include "soft-gpu/isa/code/code.h"

enum sg_mem_mode {
    SG_MODE_GLOBAL,  /* v[a..a+1] + imm */
    SG_MODE_SADDR,   /* s[c..c+1] + v[a] + imm */
    SG_MODE_FLAT,    /* v[a..a+1] + imm; LDS and private apertures */
    SG_MODE_SCRATCH, /* byte offset inside the lane's private memory: v[a] + s[c] + imm */
    SG_MODE_BUFFER,  /* V# in s[c..c+3], soffset in s[x], v[a] index and/or offset, imm */
    SG_MODE_LDS,     /* v[a] + imm */
    SG_MODE_LDS_TID, /* (M0 & x) + imm + lane * a (a and x are numbers here, not rows) */
    SG_MODES,
};

/* What one lane transfers. Loads: how the register is formed. Stores use U8, U16, B32.. and, for the upper
 * half of a register, U8_HI and B16_HI. */
enum sg_mem_elem {
    SG_ELEM_B32,
    SG_ELEM_B64,
    SG_ELEM_B96,
    SG_ELEM_B128,
    SG_ELEM_U8,
    SG_ELEM_S8,
    SG_ELEM_U16,
    SG_ELEM_S16,
    SG_ELEM_U8_LO, /* D16 forms: of the other half of the register, see sg_elem_kept */
    SG_ELEM_U8_HI,
    SG_ELEM_S8_LO,
    SG_ELEM_S8_HI,
    SG_ELEM_B16_LO,
    SG_ELEM_B16_HI,
    SG_ELEMS,
};

enum {
    SG_MF_MODE = 0xf,        /* enum sg_mem_mode */
    SG_MF_ELEM_SHIFT = 4,    /* enum sg_mem_elem, 4 bits */
    SG_MF_NO_VADDR = 1 << 8, /* SCRATCH: v[a] is not part of the address */
    SG_MF_OFFEN = 1 << 9,
    SG_MF_LOW_LANES = 1 << 9, /* GLOBAL, SADDR: lanes 32 to 63 access nothing */
    SG_MF_IDXEN = 1 << 10,
    SG_MF_RETURN = 1 << 11,     /* atomics: the old value goes to d */
    SG_MF_FIRST_LANE = 1 << 12, /* log: one access of the first active lane for the whole wavefront */
    SG_MF_EXTRA_SHIFT = 13,     /* handler's own bits */
};

static inline enum sg_mem_mode sg_uop_mode(const struct sg_uop *u)
{
    return (enum sg_mem_mode)(u->flags & SG_MF_MODE);
}
static inline enum sg_mem_elem sg_uop_elem(const struct sg_uop *u)
{
    return (enum sg_mem_elem)((u->flags >> SG_MF_ELEM_SHIFT) & 0xf);
}

static inline unsigned sg_elem_bytes(enum sg_mem_elem e)
{
    switch (e) {
    case SG_ELEM_B32:
        return 4;
    case SG_ELEM_B64:
        return 8;
    case SG_ELEM_B96:
        return 12;
    case SG_ELEM_B128:
        return 16;
    case SG_ELEM_U16:
    case SG_ELEM_S16:
    case SG_ELEM_B16_LO:
    case SG_ELEM_B16_HI:
        return 2;
    default:
        return 1;
    }
}
static inline unsigned sg_elem_dwords(enum sg_mem_elem e)
{
    return e <= SG_ELEM_B128 ? (unsigned)e + 1 : 1;
}

/* Guest memory has no alignment and no type. */
typedef uint64_t sg_u64u __attribute__((aligned(1), may_alias));
typedef uint32_t sg_u32u __attribute__((aligned(1), may_alias));
typedef uint16_t sg_u16u __attribute__((aligned(1), may_alias));

/* The bits of the register that a load leaves as they were. D16 forms of GPUs with ECC write the whole register; gfx90a
 * does so without it, too ("Testing reveals that, on gfx90a, *_load_short_d16_hi does not preserve the low-order bits
 * of the destination register, even with SramECC disabled": LLVM's review D112635). Tensile's kernels OR the halves
 * together and need the zeros. Without ECC the other half stays, on which LLVM relies there. */
static inline __attribute__((always_inline)) uint32_t sg_elem_kept(const struct sg_wave *w,
                                                                   enum sg_mem_elem e)
{
    switch (e) {
    case SG_ELEM_U8_LO:
    case SG_ELEM_S8_LO:
    case SG_ELEM_B16_LO:
        return w->arch->d16_keeps_half ? 0xffff0000 : 0;
    case SG_ELEM_U8_HI:
    case SG_ELEM_S8_HI:
    case SG_ELEM_B16_HI:
        return w->arch->d16_keeps_half ? 0xffff : 0;
    default:
        return 0;
    }
}

/* What loading the sub-dword at p gives, to which the bits come that are kept. */
static inline __attribute__((always_inline)) uint32_t sg_elem_load(const void *p, enum sg_mem_elem e)
{
    switch (e) {
    case SG_ELEM_U8:
    case SG_ELEM_U8_LO:
        return *(const uint8_t *)p;
    case SG_ELEM_S8:
        return (uint32_t)*(const int8_t *)p;
    case SG_ELEM_U16:
    case SG_ELEM_B16_LO:
        return *(const sg_u16u *)p;
    case SG_ELEM_S16:
        return (uint32_t)(int16_t)*(const sg_u16u *)p;
    case SG_ELEM_U8_HI:
        return (uint32_t)*(const uint8_t *)p << 16;
    case SG_ELEM_S8_LO:
        return (uint16_t)*(const int8_t *)p;
    case SG_ELEM_S8_HI:
        return (uint32_t)*(const int8_t *)p << 16;
    case SG_ELEM_B16_HI:
        return (uint32_t)*(const sg_u16u *)p << 16;
    default:
        return *(const sg_u32u *)p;
    }
}

static inline __attribute__((always_inline)) void sg_elem_store(void *p, enum sg_mem_elem e, uint32_t value)
{
    switch (e) {
    case SG_ELEM_U8:
        *(uint8_t *)p = (uint8_t)value;
        break;
    case SG_ELEM_U8_HI:
        *(uint8_t *)p = (uint8_t)(value >> 16);
        break;
    case SG_ELEM_U16:
        *(sg_u16u *)p = (uint16_t)value;
        break;
    case SG_ELEM_B16_HI:
        *(sg_u16u *)p = (uint16_t)(value >> 16);
        break;
    default:
        *(sg_u32u *)p = value;
        break;
    }
}

/*
 * Lanes of one instruction that lie in one address space. Byte j of lane i is at
 *     base[i] + (off[i] + j) / 4 * pitch + (off[i] + j) % 4
 * which is base + off + j for pitch 4, and the dword-interleaved layout of scratch for pitch 256.
 */
struct sg_mem_view {
    enum sg_access_space space;
    uint32_t pitch;
    uint64_t mask;               /* lanes that take part */
    uint64_t bad;                /* lanes of mask that violate an aperture: the instruction faults */
    uint64_t ok[4];              /* lanes whose dword k is inside the bounds: others read 0 and drop writes */
    uint64_t base[SG_MAX_LANES]; /* GPU address; LDS: byte offset */
    uint32_t off[SG_MAX_LANES];
};

/* OOB_SELECT of LS_BUFFER_GFX10: what bounds an access ("AMD RDNA 2 Instruction Set Architecture", "Range checking"):
 * index and offset; the index; nothing, if there is a record at all; the offset, or what a swizzled one of gfx9
 * has. */
enum sg_bounds { SG_BOUNDS_STRUCTURED, SG_BOUNDS_INDEX, SG_BOUNDS_NONE, SG_BOUNDS_RAW };

/* Spells out the addresses of an instruction that transfers `bytes` per lane. Returns the number of views: 1,
 * or up to 3 for flat. Views with an empty mask are left out. */
unsigned sg_mem_views(struct sg_wave *w, const struct sg_uop *u, sg_rows v, const uint32_t *s, unsigned bytes,
                      struct sg_mem_view view[3]);
/* GPU address of the first byte of a lane. */
static inline uint64_t sg_view_va(const struct sg_mem_view *view, unsigned lane)
{
    return view->base[lane] + (uint64_t)(view->off[lane] / 4) * view->pitch + view->off[lane] % 4;
}
/* Copies the n bytes of one lane out of or into memory. False: page fault at *va. */
bool sg_view_read(struct sg_wave *w, const struct sg_mem_view *view, unsigned lane, void *out, unsigned n,
                  uint64_t *va);
bool sg_view_write(struct sg_wave *w, const struct sg_mem_view *view, unsigned lane, const void *in,
                   unsigned n, uint64_t *va);
int sg_fault_page(struct sg_wave *w, const struct sg_uop *u, uint64_t va, unsigned lane, bool is_write);
/* Faults when the view has lanes in `bad`; otherwise 0. */
int sg_view_check(struct sg_wave *w, const struct sg_uop *u, const struct sg_mem_view *view, bool is_write);

/* The whole instruction, lane by lane, any mode and element. 0, or SG_STOP_FAULT. */
int sg_mem_slow_load(SG_ARGS);
int sg_mem_slow_store(SG_ARGS);

/* GPU address of the wavefront's private memory. Without architected flat scratch the kernel's prologue has
 * put it into FLAT_SCRATCH (LLVM AMDGPUUsage, "Flat Scratch");
 * with it the hardware has, and so may a test. */
static inline uint64_t sg_scratch_base(const struct sg_wave *w, const uint32_t *s)
{
    bool own = w->arch->family->architected_flat_scratch && w->scratch_wave_base;
    if (own)
        return w->scratch_wave_base;
    return sg_s64(s, sg_flat_scratch(w->arch));
}
/* Bytes of one lane. Unknown (0): the page map is the only bound. */
static inline uint64_t sg_scratch_limit(const struct sg_wave *w)
{
    return w->scratch_lane_bytes ? w->scratch_lane_bytes : 1u << 24;
}

/* GPU address where flat accesses mean LDS (`shared`) or private memory. */
static inline uint64_t sg_aperture(const struct sg_wave *w, bool shared)
{
    return shared ? w->dispatch->shared_aperture : w->dispatch->private_aperture;
}

/* Handlers by element. Stores exist for B32..B128, U8, U16, U8_HI and B16_HI. */
extern const sg_fn sg_flat_loads[SG_ELEMS], sg_flat_stores[SG_ELEMS];
extern const sg_fn sg_global_loads[SG_ELEMS], sg_global_stores[SG_ELEMS];
extern const sg_fn sg_saddr_loads[SG_ELEMS], sg_saddr_stores[SG_ELEMS];
extern const sg_fn sg_scratch_loads[SG_ELEMS], sg_scratch_stores[SG_ELEMS];
extern const sg_fn sg_buffer_loads[SG_ELEMS], sg_buffer_stores[SG_ELEMS];
extern const sg_fn sg_lds_loads[SG_ELEMS], sg_lds_stores[SG_ELEMS];

int sg_lds_read2_b32(SG_ARGS);
int sg_lds_read2_b64(SG_ARGS);
int sg_lds_write2_b32(SG_ARGS);
int sg_lds_write2_b64(SG_ARGS);
int sg_lds_tid_load(SG_ARGS); /* mode LDS_TID, any element */
int sg_lds_tid_store(SG_ARGS);

/* mem_cross.c */
int sg_ds_swizzle(SG_ARGS); /* x: the instruction's 16-bit offset */
int sg_ds_permute(SG_ARGS);
int sg_ds_bpermute(SG_ARGS);
int sg_ds_append(SG_ARGS);      /* x: 1 append, -1 consume */
int sg_row_copy(SG_ARGS);       /* active lanes of row a to row d */
int sg_ds_read_tr(SG_ARGS);     /* x: bits of an element: 4, 6, 8, 16 */
int sg_global_load_tr(SG_ARGS); /* x: bytes of a lane: 8, 16 */

/* Observers of the access whose micro-operation follows: the access log, and the check for races. Same fields
 * as that one, and what is done in the upper flag bits. SG_LOG_DATA: what a store writes stands in row b. */
int sg_uop_log(SG_ARGS);
int sg_uop_check(SG_ARGS);
enum {
    SG_LOG_KIND_SHIFT = SG_MF_EXTRA_SHIFT,
    SG_LOG_BYTES_SHIFT = 15,
    SG_LOG_PART_SHIFT = 21,
    SG_LOG_DATA = 1 << 22,
    SG_LOG_SYNC = 1 << 23,  /* goes past caches: volatile, or an atomic load or store */
    SG_LOG_GLOBAL = 1 << 20 /* global memory is checked, too */
};

/* The fields of a memory micro-operation while a builder fills them. */
struct sg_mem_uop {
    unsigned d, a, b, c;
    int32_t imm;
    uint32_t flags, x;
    bool sync;       /* SG_LOG_SYNC */
    bool data_later; /* a store's data are not in row b yet when the access is observed */
};
void sg_emit_mem(struct sg_builder *b, sg_fn fn, const struct sg_mem_uop *m);
/* When the access log or the check is on: appends its micro-operation. Goes before the access, which may
 * overwrite the address. */
void sg_emit_observers(struct sg_builder *b, const struct sg_mem_uop *m, enum sg_access_kind kind,
                       unsigned bytes, unsigned part);
/* LDS address of lane i is M0 + imm + i * lane_bytes: the "lds" loads and stores, ds_*_addtid_b32. */
struct sg_mem_uop sg_lds_tid_uop(struct sg_builder *b, int32_t imm, unsigned row, unsigned lane_bytes,
                                 enum sg_mem_elem e);

/* Appends an instruction of the formats DS, FLAT*, MUBUF and MTBUF (uop.h). Its parts: */
bool sg_build_memory(struct sg_builder *b, const struct gcn_inst *in);
bool sg_build_ds(struct sg_builder *b, const struct gcn_inst *in);
bool sg_build_gws(struct sg_builder *b, const struct gcn_inst *in);    /* ds_gws_*: mem_gws.c */
bool sg_build_vmem(struct sg_builder *b, const struct gcn_inst *in);   /* FLAT, GLOBAL, SCRATCH */
bool sg_build_buffer(struct sg_builder *b, const struct gcn_inst *in); /* MUBUF, MTBUF */

#endif
