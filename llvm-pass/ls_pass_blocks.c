/*
 * ls_pass_blocks.c - marks that tell, in a clone, where blocks of its original begin.
 *
 * LLVM's passes that run on a clone before its probes go in split blocks and merge them. A mark is an
 * llvm.pseudoprobe, which LLVM made for this: it keeps its place in the flow of control, and no pass takes it
 * for an access of memory.
 */
#include "ls_pass.h"

#include <string.h>

/* First operand of our marks ("lanescop"); compilers that count blocks for profiles make others. */
#define MARK 0x6c616e6573636f70ull

static LLVMValueRef first_after_phis(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i) || LLVMIsAAllocaInst(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* Blocks that only lead to another one, as the optimiser leaves behind, and those that cannot be reached. */
static bool does_nothing(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i) || ls_is_debug_call(i))
        i = LLVMGetNextInstruction(i);
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    return op == LLVMUnreachable || (op == LLVMBr && !LLVMIsConditional(i));
}

void ls_mark_blocks(struct ls_module *m, LLVMValueRef clone)
{
    static const char name[] = "llvm.pseudoprobe";
    unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
    LLVMValueRef probe = LLVMGetIntrinsicDeclaration(m->module, id, NULL, 0);
    LLVMTypeRef type = LLVMGlobalGetValueType(probe);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->context);
    uint64_t n = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(clone); block;
         block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef args[] = {LLVMConstInt(m->i64, MARK, 0), LLVMConstInt(m->i64, n++, 0),
                               LLVMConstInt(m->i32, 0, 0), LLVMConstInt(m->i64, 0, 0)};
        if (does_nothing(block))
            continue;
        LLVMPositionBuilderBefore(b, first_after_phis(block));
        LLVMSetCurrentDebugLocation2(b, NULL);
        LLVMBuildCall2(b, type, probe, args, sizeof args / sizeof *args, "");
    }
    LLVMDisposeBuilder(b);
}

uint32_t ls_marked_block(LLVMValueRef instruction)
{
    LLVMValueRef f = LLVMIsACallInst(instruction) ? ls_called_function(instruction) : NULL;
    if (!f || strcmp(LLVMGetValueName(f), "llvm.pseudoprobe") != 0 ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(instruction, 0)) != MARK)
        return LS_NONE;
    return (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(instruction, 1));
}
