// ls_branches.cpp - which branches may have switched off lanes that do not execute an instruction.
//
// A branch decides about a block when it is executed on every way to the block, and not every way from it
// leads there. Lanes part at it only if its condition differs between them. Around a block in a loop there is
// also the loop's end, where lanes leave one after the other when the trip count differs.
#include "ls_compiler.h"
#include "ls_shim.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;

struct ls_branches {
    DominatorTree *dominators;
    PostDominatorTree *after;
    LoopInfo *loops;
    void *uniformity;
};

struct ls_branches *ls_find_branches(void *manager, LLVMValueRef function, void *uniformity)
{
    Function *f = unwrap<Function>(function);
    FunctionAnalysisManager &functions = ls_function_analyses(manager, *f->getParent());
    auto *b = new ls_branches;
    b->dominators = &functions.getResult<DominatorTreeAnalysis>(*f);
    b->after = &functions.getResult<PostDominatorTreeAnalysis>(*f);
    b->loops = &functions.getResult<LoopAnalysis>(*f);
    b->uniformity = uniformity;
    return b;
}

// The condition of a block's end, if lanes may go different ways there.
static bool parts(const struct ls_branches *b, const Instruction *end)
{
    Value *condition = nullptr;
    if (end->getNumSuccessors() < 2)
        return false;
    if (auto *s = dyn_cast<SwitchInst>(end))
        condition = s->getCondition();
    else if (end->getNumOperands())
        condition = end->getOperand(0); // of a conditional branch: its condition
    return condition && condition->getType()->isIntegerTy() && !isa<Constant>(condition) &&
           !ls_is_uniform(b->uniformity, wrap(condition));
}

static bool known(const struct ls_branch *out, unsigned n, const Instruction *i)
{
    for (unsigned k = 0; k < n; k++)
        if (unwrap(out[k].branch) == i)
            return true;
    return false;
}

// Ends of the loop at which lanes leave it.
static unsigned addEnds(struct ls_branches *b, const Loop *loop, struct ls_branch *out, unsigned n,
                        unsigned room)
{
    SmallVector<BasicBlock *, 4> ends;
    loop->getExitingBlocks(ends);
    for (BasicBlock *e : ends)
        if (n < room && parts(b, e->getTerminator()) && !known(out, n, e->getTerminator()))
            out[n++] = {wrap(e->getTerminator()), true};
    return n;
}

unsigned ls_branches_around(struct ls_branches *b, LLVMValueRef instruction, struct ls_branch *out,
                            unsigned room)
{
    const BasicBlock *block = unwrap<Instruction>(instruction)->getParent();
    const BasicBlock *decided = block;
    const Loop *loop = b->loops->getLoopFor(block);
    unsigned n = 0;
    auto *node = b->dominators->getNode(const_cast<BasicBlock *>(block));
    for (node = node ? node->getIDom() : nullptr; node && n < room; node = node->getIDom()) {
        BasicBlock *above = node->getBlock();
        for (; loop && !loop->contains(above); loop = loop->getParentLoop())
            n = addEnds(b, loop, out, n, room);
        if (b->after->dominates(decided, above))
            continue;
        // Whatever lies further out matters as far as it decides about this one.
        decided = above;
        Instruction *end = above->getTerminator();
        const Loop *inside = b->loops->getLoopFor(above);
        if (n < room && parts(b, end) && !known(out, n, end))
            out[n++] = {wrap(end), loop && inside && inside->isLoopExiting(above)};
    }
    for (; loop && n < room; loop = loop->getParentLoop())
        n = addEnds(b, loop, out, n, room);
    return n;
}

void ls_free_branches(struct ls_branches *b)
{
    delete b;
}
