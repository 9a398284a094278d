/*
 * op.h - one instruction as the join looks at it: what it accesses, which registers it writes, what it does to
 * the mask of active lanes, where it may go on. From the instruction's words where gcn/ decodes them, else
 * from the disassembler's text; whoever asks does not see which. Pure: no I/O, no state.
 */
#ifndef JOIN_OP_H
#define JOIN_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ls_isa_class {
    LS_ISA_NONE, /* no memory access */
    LS_ISA_LDS,
    LS_ISA_VECTOR, /* global, flat, buffer, tbuffer */
    LS_ISA_SCALAR,
    LS_ISA_SCRATCH,
};

/* The memory access that an instruction does. */
struct ls_isa_form {
    enum ls_isa_class class;
    bool pair; /* ds_read2/ds_write2 family: two accesses of `bytes` each per lane */
    bool store, atomic;
    bool swaps;  /* an atomic that stores only where memory holds what is expected */
    bool to_lds; /* what it loads goes to LDS, not into a register */
    bool flat;   /* its addresses may be of several kinds of memory: not where the compiler knows the kind */
    bool buffer; /* by a resource with a length, beyond which lanes access nothing */
    uint32_t bytes;
    int32_t at;    /* immediate offset of the first access, bytes */
    int32_t delta; /* pair: offset of the second access from the first, bytes */
};
static inline uint32_t ls_form_parts(const struct ls_isa_form *f)
{
    return f->pair ? 2 : 1;
}
/* Registers of 32 bits that each part loads into or stores. */
static inline uint32_t ls_form_dwords(const struct ls_isa_form *f)
{
    return (f->bytes + 3) / 4;
}
/* Whether both do the same but for where. */
static inline bool ls_form_like(const struct ls_isa_form *a, const struct ls_isa_form *b)
{
    return a->class == b->class && a->flat == b->flat && a->store == b->store && a->bytes == b->bytes &&
           a->pair == b->pair && (!a->pair || a->delta == b->delta);
}

/* Registers. Scalar ones have the numbers of operands: 106 VCC, 124 M0, 126 EXEC ("AMD Instinct MI200 ISA",
 * table of SSRC). */
enum ls_file { LS_FILE_VECTOR, LS_FILE_ACCUMULATION, LS_FILE_SCALAR, LS_FILES };
enum { LS_REGISTERS = 512, LS_REGISTER_VCC = 106, LS_REGISTER_M0 = 124, LS_REGISTER_EXEC = 126 };
struct ls_registers {
    int file; /* enum ls_file; -1: no registers */
    unsigned first, n;
};
static inline bool ls_registers_meet(struct ls_registers a, struct ls_registers b)
{
    return a.file >= 0 && a.file == b.file && a.first < b.first + b.n && b.first < a.first + a.n;
}
static inline bool ls_registers_equal(struct ls_registers a, struct ls_registers b)
{
    return a.file >= 0 && a.file == b.file && a.first == b.first && a.n == b.n;
}

struct ls_operand {
    struct ls_registers r;
    bool constant; /* an integer: `value`. Neither this nor registers: nobody follows it */
    int32_t value;
};

/* What is computed, of those that somebody follows. Sources in the order of the formula; of vector
 * instructions, a further one is added to the result. */
enum ls_op_kind {
    LS_OP_OTHER,
    LS_OP_MOVE,
    LS_OP_ADD,
    LS_OP_SUBTRACT,
    LS_OP_MULTIPLY_U24, /* of the lower 24 bits */
    LS_OP_MULTIPLY_I24,
    LS_OP_MULTIPLY,
    LS_OP_SHIFT_LEFT,
    LS_OP_SCALAR_ADD,       /* s_add_u32: carries out */
    LS_OP_SCALAR_ADD_CARRY, /* s_addc_u32 */
    LS_OP_AND,              /* scalar */
    LS_OP_AND_NOT,
    LS_OP_XOR,
    LS_OP_COUNT_LOW, /* v_mbcnt_lo: lanes of a mask below each lane, of the lower 32, plus the second source */
    LS_OP_COUNT_HIGH,    /* v_mbcnt_hi */
    LS_OP_EQUAL,         /* mask of the lanes in which the two are equal */
    LS_OP_ADD_OUT,       /* v_add_co_u32: carries out, to `carry` */
    LS_OP_ADD_CARRY,     /* v_addc_co_u32: the third source is the carry */
    LS_OP_SHIFT_LEFT_64, /* v_lshl_add_u64: of 64 bits */
    LS_OP_SHIFT_RIGHT,
    LS_OP_FIELD,      /* v_bfe_u32: bits of the first, from the second on, as many as the third says */
    LS_OP_VECTOR_AND, /* of vector registers, each bit; a third source is not added: */
    LS_OP_VECTOR_OR,
    LS_OP_VECTOR_AND_OR, /* v_and_or_b32 */
    LS_OP_SHIFT_LEFT_OR, /* v_lshl_or_b32 */
};

/* What becomes of EXEC, the mask of active lanes. */
enum ls_exec {
    LS_EXEC_SAME,
    LS_EXEC_AND,  /* those of the active lanes that are in `from` */
    LS_EXEC_LESS, /* some of the active lanes, otherwise chosen */
    LS_EXEC_OR,   /* they and those in `from` */
    LS_EXEC_XOR,  /* lanes that are either active or in `from` */
    LS_EXEC_REST, /* those in `from` that are not active */
    LS_EXEC_MOVE, /* those in `from` */
    LS_EXEC_ELSE, /* something else */
};

enum {
    LS_OP_JUMPS = 1u << 0,   /* to `target` */
    LS_OP_FALLS = 1u << 1,   /* with JUMPS: or goes on behind */
    LS_OP_STOPS = 1u << 2,   /* does not go on behind, and not at a target that it tells */
    LS_OP_EXECZ = 1u << 3,   /* jumps where no lane is active */
    LS_OP_BARRIER = 1u << 4, /* of the work-group */
    LS_OP_CLOBBERS =
        1u << 5, /* afterwards no register is known: calls, registers that are not in the operands */
    LS_OP_OPAQUE = 1u << 6, /* what is followed of active lanes ends here */
};

enum { LS_OP_SOURCES = 3, LS_OP_WRITTEN = 8 };
struct ls_op {
    struct ls_isa_form form;
    uint8_t code_class;                       /* enum lanescope_class */
    struct ls_operand address[LS_OP_SOURCES]; /* of loads and stores by vector address, as far as it is known
                                                 what they consist of */
    uint8_t n_address;
    uint8_t buffer_mode; /* of buffer instructions: what the vector registers mean */
    /* of buffer instructions: the description of the memory; of scalar memory: the address */
    struct ls_registers memory;
    /* of stores whose registers hold what memory is to hold, byte by byte: what both parts of a pair store */
    struct ls_registers data[2];
    /* A load whose registers hold then what memory holds, byte by byte, and perhaps zeros behind. */
    bool fills;
    enum ls_op_kind kind;
    struct ls_registers to;    /* with `kind` */
    struct ls_registers carry; /* the mask of lanes that carry out */
    struct ls_operand source[LS_OP_SOURCES];
    uint8_t n_sources;
    struct ls_registers written[LS_OP_WRITTEN]; /* `to` is one of them */
    uint8_t n_written;
    enum ls_exec exec;
    struct ls_operand from;
    struct ls_registers saved; /* gets the lanes that were active before */
    uint8_t clause;            /* s_clause: how many instructions it holds together; else 0 */
    uint8_t mask_dwords;       /* of EXEC: 1 with wavefronts of 32 lanes, 2 with 64 */
    uint32_t flags;            /* LS_OP_* */
    int64_t target;            /* offset, as that of the instruction */
};

/* Whether these registers are EXEC, as a whole. */
static inline bool ls_is_exec(const struct ls_op *op, struct ls_registers r)
{
    return r.file == LS_FILE_SCALAR && r.first == LS_REGISTER_EXEC && r.n == op->mask_dwords;
}

struct gcn_inst;
struct gcn_target;
/* Of a decoded instruction at `offset`. */
struct ls_op ls_op_decoded(struct gcn_target target, const struct gcn_inst *in, int64_t offset);
/* The memory access alone. `at` of scalar loads is 0 unless a register is added, too, as in their text. */
struct ls_isa_form ls_isa_form_decoded(const struct gcn_inst *in);

/* Accesses LDS, global or flat memory, as every lane says. */
static inline bool ls_isa_is_vector(const struct ls_isa_form *f)
{
    return f->class == LS_ISA_LDS || f->class == LS_ISA_VECTOR;
}

#endif
