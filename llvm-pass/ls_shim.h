/*
 * ls_shim.h - what the LLVM-C interface lacks in some of LLVM 15 to 22, as C functions. The logic of the pass
 * is in C.
 */
#ifndef LS_SHIM_H
#define LS_SHIM_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version this plugin was built for, and the one that runs. They must not differ (ls_plugin.cpp). */
extern const unsigned ls_built_major;

/* Global variables that clones use instead of others, for ls_clone_body; to be freed by ls_forget_copies. */
void *ls_note_copies(LLVMValueRef *from, LLVMValueRef *to, unsigned n);
void ls_forget_copies(void *copies);
/* Fills `to` (which has f's parameters first, more may follow) with a copy of `from`'s body, attributes,
 * metadata and its own DISubprogram. `copies` NULL: none. */
void ls_clone_body(LLVMValueRef to, LLVMValueRef from, void *copies);

/* Replaces a call by one of `callee` with `extra` as its last argument;
 * keeps attributes, bundles, metadata. */
LLVMValueRef ls_rebuild_call(LLVMValueRef call, LLVMValueRef callee, LLVMValueRef extra);

/* In front of a call through a pointer: compares the pointer with `target` and calls that directly if it is.
 * Returns the direct call, or NULL when `target` cannot be what is called there. */
LLVMValueRef ls_split_call(LLVMValueRef call, LLVMValueRef target);

/* Inlines a call; false when LLVM cannot. */
bool ls_inline_call(LLVMValueRef call);

/* Runs a textual function pipeline with the module's analyses, that is with the target's cost model.
 * `manager` and `compiler` are the handles that ls_run got. */
struct ls_compiler;
bool ls_run_pipeline(void *manager, const struct ls_compiler *compiler, LLVMValueRef function,
                     const char *pipeline);

/* The same with "load-store-vectorizer"; the accesses that it makes remember the tags of those they are made
 * of. */
bool ls_merge_accesses(void *manager, const struct ls_compiler *compiler, LLVMValueRef function);

/* ls_lowering.cpp: steps of code generation that change which memory instructions there are, done on a clone
 * that is still without probes. False: a pass is missing. */
/* How much code generation optimises the function: 0 to 3. From 2 on it merges neighbouring accesses. */
unsigned ls_code_level(const struct ls_compiler *compiler, LLVMValueRef function);
/* Atomics that the target does not have become loops around a compare-and-swap, or branches by the kind of
 * memory; those of which all lanes have one address are given to one lane first, as in the original. */
bool ls_expand_atomics(void *manager, const struct ls_compiler *compiler, LLVMValueRef clone);
/* Private arrays that the target puts into LDS. Their variables lie there where those of the original do, but
 * only once ls_place_arrays was called, behind the last analysis of addresses. */
bool ls_promote_arrays(void *manager, const struct ls_compiler *compiler, LLVMValueRef clone);
/* Behind the last step that changes accesses: finds the loads that ls_promote_arrays has put in. */
void ls_find_own_loads(LLVMValueRef clone);
/* A load that finds out where a lane's part of such an array is: none of the program's accesses. */
bool ls_is_own_load(LLVMValueRef instruction);
void ls_place_arrays(LLVMValueRef clone);
/* A load of bytes that another one has read on some of the ways to it is done on the other ways only: code
 * generation at -O3 keeps their value. Changes blocks. */
bool ls_remove_partial_loads(void *manager, const struct ls_compiler *compiler, LLVMValueRef clone);
/* Whether an instruction is one of LLVM's masked loads or stores, of which the target has none. */
bool ls_is_masked(LLVMValueRef instruction);
/* They become accesses in conditions, one per element unless the mask is one for all. What code generation's
 * clean-up behind that leaves decides about which loads it moves into these conditions later. */
bool ls_expand_masked(void *manager, const struct ls_compiler *compiler, LLVMValueRef clone);
/* ls_sink.cpp: reads of LDS that exchange values between lanes go into the branch that needs these, as in machine code.
 * Whether one went: what computes its address may follow it then. */
bool ls_sink_transposed(void *manager, LLVMValueRef clone);
/* Lowest tag of the accesses that one was made of; 0: it was not made by ls_merge_accesses. */
unsigned ls_get_merged_tag(LLVMValueRef instruction);
/* ls_lines.cpp: where one of the accesses stands that the compiler made this one of, counted from 0, each place once; NULL
 * behind the last. */
LLVMMetadataRef ls_get_merged_line(LLVMValueRef instruction, unsigned k);
/* Attaches these places to the accesses of an original that passes of the middle end have merged or moved; its clone gets them, too.
 * Before ls_give_line. */
void ls_find_early_lines(const struct ls_compiler *compiler, LLVMValueRef function);
/* What passes that make other instructions of accesses would lose: first kept, then put back where something stands at the place of
 * an access that had lines; such places differ by their tags. Putting them back frees the handle. */
void *ls_keep_lines(LLVMValueRef function);
void ls_put_lines_back(void *kept, LLVMValueRef function);
/* Whether nothing of the program stands where the access is said to stand. */
bool ls_is_unplaced(LLVMValueRef instruction);
void ls_forget_lines(LLVMValueRef function);

/* Asks the target's uniformity (divergence) analysis. The result is invalid once the function is changed. */
void *ls_uniformity(void *manager, LLVMValueRef function);
bool ls_is_uniform(void *uniformity, LLVMValueRef value);
/* Bytes of a load's value, lowest first, that its users look at, as far as they are easy to follow. All of
 * them for other instructions, and where the value has more than 64. */
uint64_t ls_used_bytes(LLVMValueRef instruction);
/* ls_several.cpp: how two addresses of the instruction's function seem to lie: the same distance apart in all lanes, or each with a
 * stride of its own, where they come from the lanes' places in the grid; SCATTERED: the same distance apart, and the lanes'
 * places do not tell where. */
enum ls_apart { LS_APART_UNKNOWN, LS_APART_ALIKE, LS_APART_EVENLY, LS_APART_SCATTERED };
enum ls_apart ls_lie_apart(void *uniformity, LLVMValueRef from, LLVMValueRef to, LLVMValueRef instruction);
/* Whether all lanes that execute one block execute the other one behind it, but for blocks which these are that a branch leaves
 * out, with nothing else in between. */
bool ls_continues(LLVMBasicBlockRef from, LLVMBasicBlockRef to);
/* The branch that leaves such a block out, in those lanes in which the condition does not hold, or if `negated` does; NULL: it is none. */
LLVMValueRef ls_branch_over(LLVMBasicBlockRef block, LLVMValueRef *condition, bool *negated);
/* Whether it seems to hold in all lanes of most wavefronts, as that an index is within bounds; if `negated`, not to hold. */
bool ls_mostly_holds(void *uniformity, LLVMValueRef condition, bool negated);
/* Whether few lanes seem to execute the block where a wavefront does, by the branches that lead to it alone. */
bool ls_seldom_whole(void *uniformity, LLVMBasicBlockRef block);
/* Whether a value that `user` needs, in that block or one where it goes on, can be computed in front of an instruction. */
bool ls_comes_in_time(LLVMValueRef value, LLVMValueRef before, LLVMValueRef user);
/* Moves what computes it there. */
void ls_compute_before(LLVMValueRef value, LLVMValueRef before, LLVMValueRef user);
/* Splits the block there. Returns the end of a new block that is executed if the condition holds in no active lane. */
LLVMValueRef ls_unless_any(LLVMValueRef condition, LLVMValueRef before, bool wave32);
/* At the beginning of the instruction's block: the number, if that was computed in the block in front, else 1. */
LLVMValueRef ls_or_one(LLVMValueRef number, LLVMValueRef behind);
/* A value of 32 bits as the first active lane has it. */
LLVMValueRef ls_of_first_lane(LLVMValueRef before, LLVMValueRef value);
/* Splits the block there. Returns the end of a new block that is executed if the number, the same in all lanes, is not 0. */
LLVMValueRef ls_unless_zero(LLVMValueRef number, LLVMValueRef before);
/* The same by a condition, in the lanes in which it holds. */
LLVMValueRef ls_if(LLVMValueRef condition, LLVMValueRef before);
/* ls_part.cpp: the module as two: the program, and the clones with what only they use. NULL: it cannot be divided. Owned by the
 * caller. Variables of both get names that the linker finds them by. */
struct ls_parts *ls_find_parts(LLVMModuleRef module);
/* Leaves one part in the module; the clones' one is for a process that runs no more passes but ls_write_object. */
void ls_keep_program(struct ls_parts *parts, LLVMModuleRef module, void *manager);
void ls_keep_clones(struct ls_parts *parts, LLVMModuleRef module);
void ls_free_parts(struct ls_parts *parts);
/* Whether the compiler goes on to machine code. */
bool ls_knows_machine(const struct ls_compiler *compiler);
/* Generates code with the compiler's options, and writes the object to the file. */
bool ls_write_object(LLVMModuleRef module, const struct ls_compiler *compiler, int file);
/* Number of loops around an instruction. */
unsigned ls_loop_depth(void *manager, LLVMValueRef instruction);
/* Which instructions of a function are executed equally often. Owned by the caller, who frees it; the
 * function's blocks must stay as they are until then. */
struct ls_together_numbers *ls_number_together(void *manager, LLVMValueRef function);
/* A number that instructions share which are executed equally often: whoever executes one executes the
 * others, too. 1: as often as the function; 0: too many numbers, or out of memory. */
unsigned ls_executed_together(const struct ls_together_numbers *numbers, LLVMValueRef instruction);
/* 1 + the fewest barriers of the work-group on any way from the function's start to it; 0: unknown. */
unsigned ls_barriers_before(const struct ls_together_numbers *numbers, LLVMValueRef instruction);
void ls_free_together(struct ls_together_numbers *numbers);
/* Whether an access behind the instruction needs a probe of its own, whatever those in front of it tell: it may
 * not be executed though these are, or others could tell the order (ls_share.cpp). */
bool ls_separates(LLVMValueRef instruction);
/* ls_turns.cpp: accesses of which one probe in front of the loop can tell all turns. The function must stay as it is
 * until the last of them was found, and its blocks until the values were computed. Owned by the caller. */
struct ls_loops *ls_find_loops(void *manager, LLVMValueRef function, void *uniformity, bool wave32);
void ls_free_loops(struct ls_loops *l);
/* Of an access through a pointer; NULL: there is no such loop around it. Lives as long as `l`. */
struct ls_turns *ls_turns_of(struct ls_loops *l, LLVMValueRef instruction, LLVMValueRef pointer);
/* The instruction in front of which the probe goes. */
LLVMValueRef ls_before_turns(const struct ls_turns *t);
/* Number of the loop in its function, from 1 to 0xffff. */
unsigned ls_loop_number(const struct ls_turns *t);
/* Whether two accesses are of one loop, and made under the same conditions. */
bool ls_same_loop(const struct ls_turns *a, const struct ls_turns *b);
/* Each turn adds ls_step * ls_scale to the address. */
int32_t ls_scale(const struct ls_turns *t);
/* Computed there: the pointer on the first turn; the step, and the number of turns - 1, both of 64 bits; the number may be each
 * lane's own. Of addresses
 * with an index of 32 bits that may wrap, to which the step is added before it is extended: the index on the first turn;
 * else NULL. */
LLVMValueRef ls_first_pointer(struct ls_turns *t);
LLVMValueRef ls_first_index(struct ls_turns *t, bool *is_signed);
/* Whether the address is one of two, each on every second turn, as of two buffers; then the step is 0. The pointer on the second turn. */
bool ls_alternates(const struct ls_turns *t);
LLVMValueRef ls_second_pointer(struct ls_turns *t);
LLVMValueRef ls_step(struct ls_turns *t);
LLVMValueRef ls_more_turns(struct ls_turns *t);
/* Whether a lane makes another number of turns than the first active one, of numbers below 2^32; NULL: none does. */
LLVMValueRef ls_other_turns(struct ls_turns *t, LLVMValueRef more, LLVMValueRef before);
/* ls_guards.cpp: whether the turns make the access under conditions. Then the probe is for some lanes only, and `more` is how often these
 * make it. */
bool ls_is_guarded(const struct ls_turns *t);
/* Computes these there. Before ls_more_turns. */
void ls_tell_guard(struct ls_turns *t);
/* Of such an access, when ls_tell_guard has computed it in front of the loop: whether the lane makes it on any turn, and the probe
 * there is to tell it; and whether one in the loop has to, of all lanes. NULL: never. */
LLVMValueRef ls_guard_lanes(const struct ls_turns *t);
LLVMValueRef ls_guard_left(const struct ls_turns *t);
/* The wavefront for the probe there, to be asked for first. `inside`: for one in the loop, that observes each turn where it
 * turns out that the number of turns cannot be told; of the two, one gets 0. NULL: none is needed. */
LLVMValueRef ls_waves(struct ls_turns *t, LLVMValueRef wave, LLVMValueRef *inside);
/* Whether two pointers in one basic block always lie a constant distance apart, and which. Into two variables
 * in LDS: each from its variable's address. */
bool ls_constant_distance(void *manager, LLVMValueRef from, LLVMValueRef to, LLVMValueRef function,
                          int64_t *distance);
/* The variable in LDS that the pointer points into, as the source declares it: from debug information, else
 * the type in the IR. Texts may be cut, and are empty when not known. False: none, or nothing is known. */
struct ls_declaration {
    char name[96], type[96];
    unsigned element, bytes, n_dimensions, dimension[4]; /* as in struct ls_site_variable */
    bool structure;
    unsigned alignment; /* of an element, bytes */
};
bool ls_declaration_of(LLVMValueRef pointer, LLVMValueRef function, struct ls_declaration *out);

/* The conditional branches that may have switched lanes off in a block, the nearest first: of which lanes go
 * different ways and which decide whether the block is executed. Owned by the caller; the function's blocks
 * must stay as they are meanwhile. */
struct ls_branches *ls_find_branches(void *manager, LLVMValueRef function, void *uniformity);
/* Writes up to `room` of those around an instruction; *loop: it is the end of a loop around it. */
struct ls_branch {
    LLVMValueRef branch;
    bool loop;
};
unsigned ls_branches_around(struct ls_branches *b, LLVMValueRef instruction, struct ls_branch *out,
                            unsigned room);
void ls_free_branches(struct ls_branches *b);

/* The variable in LDS that the pointer points into; NULL: not known, or none. */
LLVMValueRef ls_variable_of(LLVMValueRef pointer, LLVMValueRef function);
/* Forgets the analyses of a module that is about to be freed. */
void ls_forget_module(void *manager, LLVMModuleRef module);
/* Forgets cached analyses of a function that was changed. */
void ls_invalidate(void *manager, LLVMValueRef function);

/* Leaves a function without what it does, for the time being: its body is not read if that has not happened yet. */
void ls_leave_out(LLVMValueRef function);
/* Gives the functions of a module from which that was left out what they do in `library`, where they have the same names and
 * call the same functions. Both are of one context. Nothing happens to others; the library is of no more use. */
void ls_put_back(LLVMModuleRef module, LLVMModuleRef library);
/* The function is declared only from here on. */
void ls_drop_body(LLVMValueRef function);
/* The function, of this module only, becomes this assembly text and nothing else: code generation adds the waits that every function
 * begins with. `clobbers`: constraints of inline assembly. `refers`: operand 0 of the text, or NULL. `scratch`:
 * bytes on the stack. */
void ls_replace_by_assembly(LLVMValueRef function, const char *text, const char *clobbers,
                            LLVMValueRef refers, unsigned scratch);
void ls_append_used(LLVMModuleRef module, LLVMValueRef global);
/* No comdat, no section, visibility and linkage are the caller's business. */
void ls_clear_comdat(LLVMValueRef global);
void ls_remove_named_metadata(LLVMModuleRef module, const char *name);
/* Removes attributes of parameters and calls that a probe in the callee makes untrue. */
void ls_strip_memory_attributes(LLVMValueRef function_or_call);
/* Size of a type in bytes as stored, 0 when unknown; works for scalable and odd types alike. */
unsigned ls_access_align(LLVMValueRef instruction);
bool ls_is_volatile(LLVMValueRef instruction);
/* Whether a call touches no memory of the program, or none that a program can address (as global wave sync and message registers). */
bool ls_leaves_memory_alone(LLVMValueRef call);
/* An instruction without line, as the optimiser leaves where it made one of two, gets that of the beginning
 * of the innermost block, or else of the function, that its debug location is in. Nothing happens in
 * functions without debug information. */
void ls_give_line(LLVMValueRef instruction);
/* A vector of bytes that is loaded only to be stored: code generation makes one integer of it, and does the
 * load at the place of the store (SITargetLowering's performStoreCombine, and DAGCombiner::visitBITCAST).
 * Gives the load the store's debug location with its number, as both sides of a copy have one. */
void ls_place_load_at(LLVMValueRef store);
/* A number in an instruction's debug location (DWARF: discriminator), 0 for none. Code generation keeps it
 * with the line. Setting it does nothing when there is no line. */
void ls_set_tag(LLVMValueRef instruction, unsigned tag);
unsigned ls_get_tag(LLVMValueRef instruction);
bool ls_has_metadata(LLVMValueRef instruction, const char *kind);
/* Names of the clones' copies of variables in LDS and of device functions begin so. */
#define LS_LDS_PREFIX "__ls_l_"
#define LS_FUNCTION_PREFIX "__ls_f_"
/* A copy of an AS3 variable under another name, for the clones. */
LLVMValueRef ls_copy_global(LLVMValueRef global, const char *name);

/* ls_passes.cpp: code generation, which comes later, leaves out of the clones what costs it much there and brings nothing. */
void ls_spare_clones(LLVMModuleRef module, bool many);

/* MD5 of a regular file of up to 8 MiB (larger ones are not stored with results), 32 hex digits. False: it
 * cannot be read. */
bool ls_file_md5(const char *path, char out[33]);

/* ls_pass.c: the pass. True when the module was changed. */
bool ls_run(LLVMModuleRef module, void *manager, const struct ls_compiler *compiler);
/* The pass "lanescope-device", used when the plugin is built: ls_call_device on the module. */
bool ls_run_device(LLVMModuleRef module, void *manager, const struct ls_compiler *compiler);
/* Pass `lanescope-serve`: instruments what a program sends, one module after the other (ls_serve.c). */
bool ls_serve(LLVMModuleRef none, void *manager, const struct ls_compiler *compiler);
/* Why this module is not instrumented although asked to, on stderr. */
void ls_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
