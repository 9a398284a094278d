/*
 * ls_pass.h - what the parts of the pass share. One struct ls_module lives while one module is instrumented.
 *
 *   ls_pass.c         order of work
 *   ls_pass_clone.c   which functions are cloned, and making the clones
 *   ls_pass_access.c  what an instruction accesses (no change of the IR)
 *   ls_pass_library.c copies of functions that get no probes
 *   ls_pass_blocks.c  marks where blocks of an original begin in its clone
 *   ls_pass_find.c    which accesses and blocks of a clone get probes
 *   ls_pass_probe.c   insertion of probes into a clone
 *   ls_pass_loops.c   those of accesses that loops make on each turn
 *   ls_pass_sites.c   the site table and debug locations
 *   ls_pass_device.c  choice and linking of the device library
 *   ls_pass_ready.c   its machine code, made beforehand
 *   ls_command.c      the compiler's command
 *   ls_beside.c       code generation of the clones in a second process
 * and ls_share.cpp, which says behind which instructions accesses cannot share a probe, and ls_several.cpp, which
 * accesses of a block one probe may tell.
 */
#ifndef LS_PASS_H
#define LS_PASS_H

#include "gpus/gpus.h"
#include "lanescope/sites.h"
#include "ls_shim.h"

#include <regex.h>
#include <stdlib.h>
#include <uthash.h>
#include "common/vector.h"

/* Growable array. Out of memory ends the compiler, as everywhere in LLVM. */
#define VEC(type)                                                                                            \
    struct {                                                                                                 \
        type *v;                                                                                             \
        unsigned n;                                                                                          \
    }
#define VEC_PUSH(vec, ...)                                                                                   \
    do {                                                                                                     \
        if (!LS_ROOM((vec).v, (vec).n))                                                                      \
            ls_no_memory();                                                                                  \
        (vec).v[(vec).n++] = (__VA_ARGS__);                                                                  \
    } while (0)
#define VEC_FREE(vec) free((vec).v)
_Noreturn void ls_no_memory(void);
void *ls_realloc(void *p, size_t bytes);

#define FOR_EACH_INSTRUCTION(i, function)                                                                    \
    for (LLVMBasicBlockRef block_ = LLVMGetFirstBasicBlock(function); block_;                                \
         block_ = LLVMGetNextBasicBlock(block_))                                                             \
        for (LLVMValueRef i = LLVMGetFirstInstruction(block_); i; i = LLVMGetNextInstruction(i))

/* A function of the user and its copy with probes. */
struct ls_clone {
    LLVMValueRef from, to; /* `to` is NULL for a library function that is listed but not cloned */
    LLVMValueRef wave;     /* i64 in `to`: as the probes get it (device-lib/head.h) */
    struct ls_together_numbers *together; /* of `to`, while its sites are collected */
    struct ls_branches *branches;         /* likewise */
    uint32_t kernel; /* index of the only kernel that reaches it, LS_NONE when there are several */
    bool is_kernel;
    bool chosen;            /* a kernel that gets a clone, or what one reaches */
    uint32_t kernel_flags;  /* LS_KERNEL_*, found in this function alone */
    uint32_t reached_flags; /* of a kernel: those of all that it reaches */
    unsigned visit;         /* last kernel (index + 1) that was found to reach it */
    uint32_t skip;     /* what messages number its sites less than the table does (struct ls_site_numbers) */
    UT_hash_handle hh; /* key: from */
};

/* Accesses that one probe tells with a message each, and how far their sites' numbers may lie apart. */
#define LS_SEVERAL 4
#define LS_SEVERAL_ALIKE 6 /* of one block, the same distances apart */
#define LS_SEVERAL_SITES 127

/* Device library functions in the module. */
struct ls_device {
    LLVMValueRef enter, exit, uniform, access, access_lds, access_buffer, lds_dma, length, longest, block,
        turns;
    LLVMValueRef several[LS_SEVERAL_ALIKE - 1]; /* of 2 accesses, of 3, ... */
    LLVMValueRef alike;                         /* of 2 of which the lanes' addresses are scattered */
    LLVMValueRef shapes[LS_SEVERAL - 1];        /* the same, each with its own stride */
    LLVMValueRef groups[LS_SEVERAL - 1],
        group_shapes[LS_SEVERAL - 1];  /* as these, and leave nothing to the clone */
    LLVMValueRef loop[LS_SEVERAL - 1]; /* the same, of all turns of a loop */
};

/* Clones from which on compiling counts more than some instructions in each. */
#define LS_MANY_KERNELS 64

struct ls_string;
struct ls_frame_key;

/* The site table while it grows. */
struct ls_table {
    VEC(struct ls_site_kernel) kernels;
    VEC(struct ls_site) sites;
    VEC(struct ls_site_place) places; /* of each site */
    VEC(struct ls_site_frame) frames;
    VEC(struct ls_site_detail) details; /* of each site */
    VEC(struct ls_site_variable) variables;
    VEC(struct ls_site_branch) branches;
    VEC(struct ls_site_lead) leads;
    VEC(struct ls_site_part) parts;
    VEC(char) strings;
    struct ls_string *string_index;
    struct ls_frame_key *frame_index;
    char *folders; /* what ls_system_folders says, from when `knows_folders` on */
    bool knows_folders;
};

/* A variable in LDS. */
struct ls_variable {
    LLVMValueRef variable; /* key */
    unsigned number;       /* from 1 */
    UT_hash_handle hh;
};

/* SET_PROBE_BLOCKS, in numbers: probes at block entries. */
enum ls_blocks { LS_BLOCKS_OFF, LS_BLOCKS_ON, LS_BLOCKS_ONLY /* and none at memory accesses */ };

/* SET_PROBE_BESIDE, in numbers: clones' code is generated in a second process. */
enum ls_beside { LS_BESIDE_OFF, LS_BESIDE_ON, LS_BESIDE_ALWAYS /* be it of use or not */ };

struct ls_module {
    LLVMModuleRef module;
    LLVMContextRef context;
    void *manager;
    const struct ls_compiler *compiler;
    unsigned n_tags;
    bool has_debug_info;
    const char *cpu;                    /* "gfx90a" */
    const struct ls_gpu_family *family; /* of it */
    bool wave32;
    bool long_accesses; /* of a length known at run time only, or of more than 64 bytes */
    bool left_out;      /* what ls_leave_out_ready says */
    bool many;          /* LS_MANY_KERNELS clones or more: they are made so that compiling them takes less */
    enum ls_blocks blocks;
    enum ls_beside beside;
    regex_t *choice;               /* of kernels' names; NULL: all are chosen */
    struct ls_clone *clones;       /* uthash, in the order found: kernels first */
    struct ls_variable *variables; /* uthash: those in LDS, when they are wanted */
    struct ls_device device;
    struct ls_table table;
    LLVMTypeRef i32, i64;
};

/* ---- ls_pass_access.c ---- */

enum ls_address {
    LS_ADDRESS_NONE,    /* not observed */
    LS_ADDRESS_POINTER, /* `pointer` */
    LS_ADDRESS_BUFFER,  /* buffer descriptor in operand `rsrc`, offsets below */
    LS_ADDRESS_LDS_DMA, /* `pointer` is uniform; lane i accesses pointer + i * max(4, bytes) */
};

/* One side of a memory instruction. */
struct ls_access {
    LLVMValueRef instruction;
    enum ls_address address;
    LLVMValueRef pointer;
    LLVMValueRef rsrc, vindex, voffset, soffset; /* vindex NULL for raw buffers */
    LLVMValueRef offset;                         /* immediate added to pointer, NULL when none */
    LLVMValueRef length;                         /* dynamic length, NULL when constant */
    struct ls_site site;                         /* kind, space, align, bytes, flags, reason filled in */
    const char *name;                            /* of the IR instruction or intrinsic */
};
#define LS_MAX_ACCESSES 2

/* What `instruction` accesses: number of entries filled (0: no memory instruction). */
unsigned ls_classify(struct ls_module *m, LLVMValueRef instruction, struct ls_access out[LS_MAX_ACCESSES]);
/* The function that a call reaches:
 * through casts and aliases; NULL for an indirect call or inline assembly. */
LLVMValueRef ls_called_function(LLVMValueRef call);
/* The functions of the module that a call through a pointer may reach: those of its type whose address is
 * taken. Returns how many there are, at most LS_MAX_TARGETS + 1, and fills the first LS_MAX_TARGETS; 0 for
 * other calls. */
#define LS_MAX_TARGETS 32
unsigned ls_call_targets(struct ls_module *m, LLVMValueRef call, LLVMValueRef out[LS_MAX_TARGETS]);
bool ls_is_intrinsic(LLVMValueRef function);
/* Describes variables to debuggers (until LLVM 18, where records took over). */
bool ls_is_debug_call(LLVMValueRef instruction);
bool ls_starts_with(const char *s, const char *prefix);

/* ---- ls_pass_choose.c ---- */

/* Reads SET_PROBE_KERNELS; false, after a message, when it is no regular expression. */
bool ls_read_choice(struct ls_module *m);
/* Whether the demangled name of that kernel matches. */
bool ls_is_chosen(const struct ls_module *m, LLVMValueRef kernel);
void ls_free_choice(struct ls_module *m);

/* ---- ls_pass_clone.c ---- */

/* Finds kernels and what they reach; false when there is nothing to do. */
bool ls_collect(struct ls_module *m);
/* Makes the copies (still without probes). */
void ls_make_clones(struct ls_module *m);
struct ls_clone *ls_find_clone(struct ls_module *m, LLVMValueRef from);
/* Numbers the memory accesses of the originals in their debug locations. Clones made later have the same. */
void ls_tag_accesses(struct ls_module *m);
/* A second run of the pass leaves the function alone. */
void ls_mark_clone(struct ls_module *m, LLVMValueRef f);
/* Made by the pass, or by an earlier run of it, or of the probes' library. */
bool ls_is_own_function(LLVMValueRef f);

/* ---- ls_pass_library.c ---- */

/* Gives the clones copies of what they call beside clones and probes. */
void ls_separate_libraries(struct ls_module *m);

/* ---- ls_pass_blocks.c ---- */

/* Before any pass changes the clone: marks where each block of its original begins that does something. */
void ls_mark_blocks(struct ls_module *m, LLVMValueRef clone);
/* Number of the original's block, from 0, if the instruction is such a mark; else LS_NONE. */
uint32_t ls_marked_block(LLVMValueRef instruction);

/* ---- ls_beside.c ---- */

/* Leaves the clones to a second process, where that is of use and possible; false: nothing happened. */
bool ls_generate_beside(struct ls_module *m);

/* ---- ls_pass_probe.c ---- */
void ls_probe_function(struct ls_module *m, struct ls_clone *c);

/* ---- ls_pass_device.c ---- */
/* Value of a string attribute, ended by 0; NULL: there is none, or it is empty. */
const char *ls_function_attribute(LLVMValueRef f, const char *name);
/* Gives a function that clones call the attributes of the library's own. */
void ls_adapt_device(struct ls_module *m, LLVMValueRef f, LLVMValueRef kernel);
/* For the processor of that kernel, which ls_find_target found. */
bool ls_link_device(struct ls_module *m, LLVMValueRef kernel);
/* Removes what no clone uses. */
void ls_prune_device(struct ls_module *m);
/* Links the library to a module whose first function is a kernel, and lets that call all of its functions:
 * what device_code.c makes machine code of. */
bool ls_call_device(struct ls_module *m);
/* Processor and wavefront size from a kernel's attributes. */
bool ls_find_target(struct ls_module *m, LLVMValueRef kernel);
/* Tells users when there are no models of that processor. */
void ls_tell_costs(const struct ls_module *m);

/* ---- ls_pass_ready.c ---- */
#define LS_TURNS_CODE "__ls_turns" /* how the names of probes of loops' turns begin */
/* Functions of the device library become the machine code that was made for the processor when the plugin was
 * built. Without it, or when it does not fit the module, they stay what they are. */
#define LS_COLD_CODE "__ls_cold" /* the function of what only other such code calls */
void ls_use_ready_code(struct ls_module *m);
/* From now on that function has this text, and ls_cold_apart returns what it stands for, as the last module had it: it is
 * the longest part of most modules. */
#define LS_COLD_STAND_IN "\t.ascii \"lanescope: cold code\""
void ls_keep_cold_apart(void);
const char *ls_cold_apart(void);
/* Whether they can, asked when no more calls are inserted; says of clones what they do not need then. */
bool ls_can_use_ready(struct ls_module *m);
/* Empties them in a library that is about to be linked, where they are likely to become that: what is not read takes no time. */
void ls_leave_out_ready(struct ls_module *m, LLVMModuleRef library);

/* ---- ls_pass_sites.c ---- */
/* Index of the new kernel. */
uint32_t ls_add_kernel(struct ls_module *m, const struct ls_clone *c, uint32_t ctx_offset, uint32_t flags);
/* Index of the new site; LS_NONE when the table is full. */
uint32_t ls_add_site(struct ls_module *m, const struct ls_clone *c, const struct ls_access *a);
void ls_emit_table(struct ls_module *m);
/* Constant data in a section of its own, which linker and strip keep. */
void ls_emit_section(struct ls_module *m, const char *symbol, const char *section, const char *bytes,
                     unsigned size, unsigned align);

/* ---- ls_pass_sources.c ---- */
/* `hash`: of the module, for the symbol. */
void ls_emit_sources(struct ls_module *m, uint64_t hash);
void ls_free_table(struct ls_table *t);

#endif
