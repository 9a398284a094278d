/*
 * uop.h - the engine's inner contract: micro-operations, wavefront state, and the builder that appends them.
 *
 * An instruction is decoded once into one or more 32-byte micro-operations; executing is a chain of tail
 * calls, one handler per micro-operation. A vector register is a row of 64 lanes; a handler is one loop over
 * a row.
 *
 *   - Scalars are addressed by a 16-bit index into `s`: 0..255 is the 8-bit scalar source encoding itself,
 * with the 32-bit inline constants already stored at their places (128..208, 240..248) and SCC at 253; from
 * SG_CONST_BASE on stand constants made by sg_const32/sg_const64 and temporaries.
 *   - Rows 0..255 are VGPRs, 256..511 AccVGPRs, from SG_TEMP_ROW on temporaries of one instruction.
 *   - A mask of lanes is a pair of scalars in wavefronts of 64 lanes, and one scalar in those of 32. Handlers
 * know one kind only: they read pairs, whose high half does not matter with 32 lanes, for no lane there is ever
 * active; and they write the halves to two scalars that the builder names (sg_mask_place), the high one with 32
 * lanes to SG_S_NOWHERE.
 *   - EXEC lives in s[126..127] and, cached, in w->exec and w->xm (all-ones dword per active lane). Whatever
 * writes s[126] or s[127] must be followed by the micro-operation that sg_emit_exec_refresh appends.
 *   - Inactive lanes keep their destination; compares and carry-outs write 0 for them into the scalar pair.
 */
#ifndef SOFT_GPU_ISA_UOP_H
#define SOFT_GPU_ISA_UOP_H

#include <stdbool.h>
#include <stdint.h>
#include "soft-gpu/isa/engine.h"
#include "gcn/gcn.h"

enum {
    SG_MAX_LANES = 64,  /* of a wavefront on any GPU: the width of a row; how many it has, w->lanes says */
    SG_HALF_LANES = 32, /* of gfx10 and later: the upper half of a row is idle */
    SG_TEMP_ROW = 512,  /* first of SG_TEMP_ROWS temporary rows */
    SG_TEMP_ROWS = 64,
    SG_S_VCC = 106,
    SG_S_M0 = 124,
    SG_S_NULL = 125, /* gfx10: no register; builders never see it (decode.c) */
    SG_S_EXEC = 126,
    SG_S_SCC = 253,
    SG_CONST_BASE = 256,
};
/* Two fields of MODE ("AMD Instinct MI200 ISA", 3.5). */
enum { SG_MODE_DX10_CLAMP = 1 << 8, SG_MODE_IEEE = 1 << 9 };

struct sg_wave;
struct sg_uop;
typedef uint32_t (*sg_rows)[SG_MAX_LANES];

/* Every handler has this signature. `v` and `s` are w->v and w->s, kept in registers along the chain. */
#define SG_ARGS struct sg_wave *w, const struct sg_uop *u, sg_rows v, uint32_t *s
typedef int (*sg_fn)(SG_ARGS);

struct sg_uop {
    sg_fn fn;
    uint16_t d, a, b, c; /* row or scalar indices; meaning belongs to the handler */
    int32_t imm;
    uint32_t flags; /* meaning belongs to the handler */
    uint32_t pc;    /* place of the instruction: sg_uop_pc; filled by sg_emit */
    uint32_t x;     /* second immediate; meaning belongs to the handler */
};
_Static_assert(sizeof(struct sg_uop) == 32, "two micro-operations share a cache line");

/* Continue with the next micro-operation / jump to another one. Must be the last statement of a handler. */
#define SG_NEXT() SG_GOTO(u + 1)
#define SG_GOTO(target)                                                                                      \
    do {                                                                                                     \
        const struct sg_uop *next_ = (target);                                                               \
        __attribute__((musttail)) return next_->fn(w, next_, v, s);                                          \
    } while (0)

/* Why the chain returned to the scheduler. w->next holds where to go on. */
enum sg_stop {
    SG_STOP_END = 1, /* s_endpgm */
    SG_STOP_BARRIER,
    SG_STOP_YIELD,  /* s_sleep, or the budget of backward branches is used up */
    SG_STOP_FAULT,  /* w->fault is filled */
    SG_STOP_WAIT,   /* waits in a grid barrier (ds_gws_barrier); run it again to ask whether it is released */
    SG_STOP_SIGNAL, /* the last of the work-group has signalled its split barrier */
};

struct sg_workgroup {
    uint8_t *lds;       /* zero or poison at start; lds_bytes readable; at least 64 spare bytes behind it */
    uint32_t lds_bytes; /* allocated to the work-group: accesses beyond read 0 and drop writes */
    uint32_t id[3];
    uint32_t n_waves;
    /* The split barrier (gfx12), a bit for each wavefront: those that have not ended; that have signalled since it was
     * complete the last time; that need not wait, for it was complete since they signalled. */
    uint32_t alive, signalled, complete;
    uint64_t log_id;              /* flat work-group id */
    uint64_t log_dispatch;        /* number of the dispatch in this engine, from 0 */
    struct sg_check_group *check; /* opaque: the check for races, NULL when off */
};

/* A wavefront of a kernel without probes that is observed (log/report.h). */
struct sg_wave_report {
    const struct sg_report *to; /* opaque; NULL: not observed */
    uint8_t *chunk;             /* the one that it fills, or NULL */
    uint32_t used, sequence;    /* bytes in it; chunks handed over so far */
    uint64_t start;             /* of sg_ticks */
};

struct sg_wave {
    _Alignas(64) uint32_t xm[SG_MAX_LANES]; /* EXEC as a row mask */
    uint64_t exec;                          /* EXEC as a number */
    sg_rows v;
    uint32_t *s;
    const struct sg_uop *next; /* where to resume */
    struct sg_workgroup *wg;
    const struct sg_dispatch *dispatch;
    struct sg_tlb *tlb;             /* of the thread that runs the wavefront now */
    const struct sg_device *device; /* device.h; NULL: a wavefront that a test runs by hand */
    const struct ls_gpu *arch;
    const struct sg_code *code; /* opaque: code.c's region that `next` belongs to */
    struct sg_fault fault;
    struct sg_log *log; /* opaque: access log sink, NULL when off */
    struct sg_wave_report report;
    uint32_t lanes;     /* 32 or 64: those beyond are never active */
    uint64_t all_lanes; /* as a mask */
    uint32_t wave_in_group;
    uint32_t units;             /* compute units that its work-group is spread over, 2 in WGP mode */
    uint32_t mode;              /* MODE register; DX10_CLAMP and IEEE are set where it has neither */
    uint64_t scratch_wave_base; /* GPU address of this wavefront's scratch */
    uint32_t scratch_lane_bytes;
    int32_t budget; /* backward branches left before a yield */
    const struct sg_uop
        *yielded_at; /* the jump or s_sleep of the last SG_STOP_YIELD; others leave it alone */
    uint64_t n_inst; /* statistics; the core keeps them */
    uint64_t n_lane_ops;
    /* Private to the core (code.h explains the counting): */
    uint64_t n_vector, vector_mark;
    uint32_t constants_loaded; /* constants of `code` that stand in `s` */
    uint32_t s_size;           /* dwords allocated at `s` */
    struct sg_wave *pool_next; /* the scheduler's list of free wavefronts */
    uint64_t code_serial;      /* which sg_code `constants_loaded` is about */
    bool exact_matrix;         /* sg_engine_config */
    struct sg_weak_wave *weak; /* opaque: what it has under way, NULL when memory is not weak */
};

static inline uint64_t sg_s64(const uint32_t *s, unsigned i)
{
    return (uint64_t)s[i] | (uint64_t)s[i + 1] << 32;
}
static inline void sg_set_s64(uint32_t *s, unsigned i, uint64_t value)
{
    s[i] = (uint32_t)value;
    s[i + 1] = (uint32_t)(value >> 32);
}

/* Writes a mask of lanes: `place` is what sg_mask_place has given. */
static inline void sg_set_mask(uint32_t *s, uint32_t place, uint64_t mask)
{
    s[place & 0xffff] = (uint32_t)mask;
    s[place >> 16] = (uint32_t)(mask >> 32);
}
/* Row of a VGPR or AccVGPR operand. */
static inline unsigned sg_row(const struct gcn_operand *o)
{
    return o->index + (o->kind == GCN_OPND_AGPR ? 256u : 0u);
}
/* What the wavefront's code is for. */
static inline struct gcn_target sg_wave_target(const struct sg_wave *w)
{
    return (struct gcn_target){w->arch, w->lanes};
}
/* All of the lanes that a handler looks at are active: a constant, SG_MAX_LANES or SG_HALF_LANES. */
static inline bool sg_all_active(const struct sg_wave *w, unsigned lanes)
{
    return lanes == SG_MAX_LANES ? w->exec == ~0ull : (uint32_t)w->exec == UINT32_MAX;
}
/* EXEC and VCC as their registers say. */
static inline uint64_t sg_exec_register(const struct sg_wave *w, const uint32_t *s)
{
    return sg_s64(s, SG_S_EXEC) & w->all_lanes;
}
static inline uint64_t sg_vcc_register(const struct sg_wave *w, const uint32_t *s)
{
    return sg_s64(s, SG_S_VCC) & w->all_lanes;
}

/* After SG_STOP_YIELD: it sleeps in a loop that does nothing else, as long as others may do what they like. yielded_at was NULL
 * before the wavefront ran. */
bool sg_only_delays(const struct sg_wave *w);
/* Ends the wavefront with a fault at micro-operation u. Returns SG_STOP_FAULT: `return sg_fault_at(...)`. */
int sg_fault_at(struct sg_wave *w, const struct sg_uop *u, enum sg_fault_kind kind, uint64_t va,
                unsigned lane, bool is_write, const char *message);
/* Fills *f about the instruction at `pc` of this wavefront; the wavefront goes on. */
void sg_fault_describe(const struct sg_wave *w, uint64_t pc, enum sg_fault_kind kind, const char *message,
                       struct sg_fault *f);

/* ---- Builder: used by build_*.c while one instruction is turned into micro-operations. ---- */
struct sg_builder; /* opaque; code_state.h */

const struct ls_gpu *sg_builder_arch(const struct sg_builder *b);
/* Nobody reads the upper half of the instruction's 64-bit result: it need not be written. */
bool sg_builder_narrow(const struct sg_builder *b);
/* The instruction sleeps in a loop that does nothing else (decode/delay.c). */
bool sg_builder_delays(const struct sg_builder *b);
/* Where a mask of lanes goes whose low half is scalar `index`: that, and the scalar of the high half in bits
 * 31:16. */
uint32_t sg_mask_place(const struct sg_builder *b, unsigned index);
/* Who wants to know of memory accesses. */
enum sg_observers { SG_OBSERVE_LOG = 1, SG_OBSERVE_CHECK = 2, SG_OBSERVE_GLOBAL = 4, SG_OBSERVE_WEAK = 8 };
unsigned sg_builder_observers(const struct sg_builder *b);
/* Memory is weak: what waits, what caches do (weak/) is part of instructions. */
static inline bool sg_builder_weak(const struct sg_builder *b)
{
    return sg_builder_observers(b) & SG_OBSERVE_WEAK;
}
static inline bool sg_builder_logging(const struct sg_builder *b)
{
    return sg_builder_observers(b) & SG_OBSERVE_LOG;
}
/* Appends a micro-operation; imm, flags, x are 0 and may be set through the pointer until the next sg_emit.
 * Never NULL: when memory runs out the builder notes it and hands out a dummy. */
struct sg_uop *sg_emit(struct sg_builder *b, sg_fn fn, unsigned d, unsigned a, unsigned bb, unsigned c);
/* Scalar index of a constant (two consecutive ones for 64 bits). Equal constants share an index. */
unsigned sg_const32(struct sg_builder *b, uint32_t value);
unsigned sg_const64(struct sg_builder *b, uint64_t value);
/* First of n consecutive temporary rows / scalars, free until the instruction's last micro-operation. */
unsigned sg_temp_rows(struct sg_builder *b, unsigned n);
unsigned sg_temp_scalars(struct sg_builder *b, unsigned n);
/* After any micro-operation that may have written s[126] or s[127]. */
void sg_emit_exec_refresh(struct sg_builder *b);
/* Appends a copy of vccz, execz, or another computed scalar source into a temporary and returns its index;
 * for plain registers and constants returns the index without emitting anything. 32-bit view. */
unsigned sg_scalar_source(struct sg_builder *b, const struct gcn_operand *o);
/* The same for a 64-bit source: an index whose pair holds the value. Inline integers are sign-extended;
 * inline floats become doubles if `is_float`; a literal is zero-extended, or the high half if `is_float`. */
unsigned sg_scalar_source64(struct sg_builder *b, const struct gcn_operand *o, bool is_float);
/* With weak memory: waits until at most so many stores are under way. */
void sg_emit_wait(struct sg_builder *b, uint32_t most);
/* With weak memory, before and after what it does not model: sg_weak_settle. */
void sg_emit_settle(struct sg_builder *b);
/* It is another wavefront's turn: this one goes on behind u. Looks like the yield of a loop. Returns what the
 * handler has to return. */
int sg_weak_pause(struct sg_wave *w, const struct sg_uop *u);
/* Hands what weak memory has found at the wavefront's last access to the check, if there is one. */
void sg_take_found(struct sg_wave *w);
/* Appends the micro-operation that stops the kernel as SG_FAULT_UNIMPLEMENTED. */
void sg_emit_unimplemented(struct sg_builder *b, const struct gcn_inst *in);

/* Each room's builder (sg_build_scalar, sg_build_valu, ...) appends what the instruction needs and returns true, or
 * returns false when it does not know the instruction (the caller then emits sg_emit_unimplemented). */

/* ---- Pairs. When `first` is directly followed by `second` and `fits` agrees, decoding lets the first one run
 * as `fused`: it finds the second at u + 1, does the work of both and goes on at u + 2. The second stays in
 * its place for jumps that arrive there. ---- */
struct sg_pair {
    sg_fn first, second, fused;
    bool (*fits)(const struct sg_uop *first, const struct sg_uop *second);
};

/* ---- Wavefronts of 32 lanes: handlers that look at the lower half of rows alone. Who has one enters it here, in a
 * section of the library's own, which has an array of them all; decoding puts it in the other's place. ---- */
struct sg_low {
    sg_fn fn, low;
};
#define SG_LOW_IS(NAME, LOW)                                                                                 \
    static const struct sg_low NAME##_entry __attribute__((section("sg_low"), used)) = {NAME, LOW};
#define SG_LOW(NAME) SG_LOW_IS(NAME, NAME##_low)

/* ---- What observers are told of an access (../log). ---- */
enum sg_access_kind { SG_ACCESS_LOAD = 1, SG_ACCESS_STORE = 2, SG_ACCESS_ATOMIC = 3 };
/* Numbers as LLVM's address spaces. SCALAR: SMEM instructions; one address, exec = 1. */
enum sg_access_space { SG_SPACE_GLOBAL = 1, SG_SPACE_LDS = 3, SG_SPACE_SCALAR = 4, SG_SPACE_SCRATCH = 5 };
#endif
