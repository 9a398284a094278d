/*
 * code.h - decoded code of one kernel: inner interface between decoding, handlers and the scheduler.
 *
 * A sg_code holds everything reachable from one kernel entry. Direct branches are followed when the code is
 * made, so a wavefront meets new code only through an indirect jump; that is where it also loads constants
 * that were added since (sg_code_find, sg_code_load_constants). Micro-operations never move and are never
 * changed once a wavefront can reach them.
 *
 * Counting instructions costs nothing on straight-line code: decoding numbers all instructions, and each jump
 * adds the difference between the number behind it and the number of its target, so that at the end n_inst =
 * instructions executed. Vector instructions are numbered separately; n_vector works the same way and is
 * multiplied by the active lanes whenever EXEC changes (sg_count_lanes).
 */
#ifndef SOFT_GPU_ISA_CODE_H
#define SOFT_GPU_ISA_CODE_H

#include <stddef.h>
#include "uop.h"
#include "common/numbers.h"

/* Fixed scalar indices between the encodings and the constants. */
enum {
    SG_TEMP_SCALAR = SG_CONST_BASE, /* temporaries of one instruction */
    SG_TEMP_SCALARS = 64,
    SG_S_APERTURES =
        SG_TEMP_SCALAR + SG_TEMP_SCALARS,  /* pairs: shared base, shared limit, private base, limit */
    SG_S_NOWHERE = SG_S_APERTURES + 8,     /* 16 that nobody reads: what is written to NULL */
    SG_S_FLAT_SCRATCH = SG_S_NOWHERE + 16, /* where it is no SGPR: a pair */
    SG_FIRST_CONST = SG_S_FLAT_SCRATCH + 2,
    SG_MAX_CONSTS = 65536 - SG_FIRST_CONST - 2,
};

/* The pair that is FLAT_SCRATCH. */
static inline unsigned sg_flat_scratch(const struct ls_gpu *arch)
{
    return arch->family->flat_scratch_sgpr ? arch->family->flat_scratch_sgpr : SG_S_FLAT_SCRATCH;
}

/* Where a jump can arrive. `number`, `vectors`: instructions and vector instructions decoded before it. */
struct sg_code_entry {
    uint64_t key;
    const struct sg_uop *uop;
    int32_t number, vectors;
};

struct sg_code;

/* Where instruction words come from:
 * GPU memory, or (for sg_engine_exec_raw) an array standing at address 0. */
struct sg_code_source {
    struct sg_mem *mem;
    const uint32_t *words;
    size_t dwords;
};

void sg_code_retain(struct sg_code *c);
void sg_code_release(struct sg_code *c);
/* True when some decoded instruction lies in [va, va+size). */
bool sg_code_overlaps(struct sg_code *c, uint64_t va, uint64_t size);
/* The entry for GPU address `pc`, decoding on demand. Never NULL: bad code decodes to a fault. NULL only when
 * out of memory. Any thread. */
const struct sg_code_entry *sg_code_find(struct sg_code *c, uint64_t pc);
/* Reads as many words at pc as an instruction may have; returns how many are readable. */
unsigned sg_code_words(struct sg_code *c, uint64_t pc, uint32_t words[GCN_WORDS]);
/* Some instruction was decoded in M0-relative mode. */
bool sg_code_is_indexed(struct sg_code *c);
/* The kernel's entry. */
uint64_t sg_code_base(const struct sg_code *c);
/* Number of dwords that w->s needs now; loads constants that w does not have yet, growing w->s (malloc'd).
 * False when out of memory. */
bool sg_code_load_constants(struct sg_code *c, struct sg_wave *w);
/* Adds the instructions of the unfinished run up to w->next, so that the counters are right after a fault. */
void sg_code_count_to(struct sg_code *c, struct sg_wave *w, uint64_t pc);

/* A kernel's code may lie in several code objects, anywhere in memory. A micro-operation knows the place of its
 * instruction as the number of a window, and the dword in that. */
enum { SG_CODE_WINDOW_BITS = 26, SG_CODE_WINDOWS = 1 << (32 - SG_CODE_WINDOW_BITS) };
#define SG_CODE_WINDOW_BYTES (4ull << SG_CODE_WINDOW_BITS)

/* The addresses of the windows' first bytes. */
const uint64_t *sg_code_windows(const struct sg_code *c);

/* GPU address of a micro-operation's instruction. */
static inline uint64_t sg_uop_pc(const struct sg_wave *w, const struct sg_uop *u)
{
    const uint32_t dword = u->pc & ((1u << SG_CODE_WINDOW_BITS) - 1);
    return sg_code_windows(w->code)[u->pc >> SG_CODE_WINDOW_BITS] + 4ull * dword;
}

/* ---- Jumps. A jump's target is stored over `imm` and `flags`, its count deltas over d, a and b, c. ---- */
struct sg_jump {
    sg_fn fn;
    int32_t instructions, vectors;
    const struct sg_uop *target;
    uint32_t pc, x;
};
_Static_assert(sizeof(struct sg_jump) == sizeof(struct sg_uop), "a jump is a micro-operation");
_Static_assert(offsetof(struct sg_jump, pc) == offsetof(struct sg_uop, pc), "same place of pc");

static inline const struct sg_jump *sg_as_jump(const struct sg_uop *u)
{
    return (const struct sg_jump *)(const void *)u;
}

/* Multiplies the vector instructions since the last change of EXEC with the lanes that were active. */
static inline void sg_count_lanes(struct sg_wave *w, int32_t vectors)
{
    uint64_t now = w->n_vector + (uint64_t)(int64_t)vectors;
    w->n_lane_ops += (now - w->vector_mark) * (unsigned)__builtin_popcountll(w->exec);
    w->vector_mark = now;
}

/* Sets w->lanes, and with it which lanes there are. Before EXEC is set. */
static inline void sg_wave_set_lanes(struct sg_wave *w, uint32_t lanes)
{
    w->lanes = lanes;
    w->all_lanes = ls_low_bits(lanes);
}

/* Sets w->exec and w->xm from s[126..127]. */
void sg_wave_load_exec(struct sg_wave *w);

/* ---- Builder functions for the scalar part. ---- */

/* Appends a jump handler whose target is the instruction at GPU address `pc`. */
struct sg_uop *sg_emit_jump(struct sg_builder *b, sg_fn fn, uint64_t pc);
/* Number of the instruction being built, counting it (for s_endpgm and indirect jumps). */
int32_t sg_builder_number(const struct sg_builder *b);
int32_t sg_builder_vectors(const struct sg_builder *b);
/* No instruction follows this one in sequence. */
void sg_builder_end_run(struct sg_builder *b);
/* Later instructions of the run see VGPR operands offset by M0 (s_set_gpr_idx_on), or no longer do. */
void sg_builder_set_indexed(struct sg_builder *b, bool on);
/* Vector instructions that follow are skipped (s_setvskip), or no longer are. */
void sg_builder_set_vskip(struct sg_builder *b, bool on);
enum { SG_KEY_VSKIP = 2 }; /* or it to the address for sg_code_find: code with vector instructions skipped */
/* Decode also what stands at `pc` (return addresses of calls). */
void sg_builder_also_decode(struct sg_builder *b, uint64_t pc);

/* Handlers that builders of several rooms use: code_ops.c. */
int sg_h_jump(SG_ARGS);         /* continuation of a run elsewhere; counts, no yield */
int sg_h_exec_refresh(SG_ARGS); /* imm: vector instructions so far */
int sg_h_fault(SG_ARGS);        /* d: enum sg_fault_kind; message from the kind */
int sg_h_copy_scc(SG_ARGS);     /* s[d..d+1] = SCC */
int sg_h_vccz(SG_ARGS);         /* s[d..d+1] = VCC == 0 */
int sg_h_execz(SG_ARGS);        /* s[d..d+1] = EXEC == 0 */

#endif
