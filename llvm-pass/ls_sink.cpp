// ls_sink.cpp - reads that machine code has in the one branch that needs their values, while LLVM's pass `sink` leaves them in
// front of it. These intrinsics exchange values between lanes, so that IR passes give them no further conditions
// ("convergent"); their instructions have no such mark, and MachineSinking moves them as it moves any load: not past anything
// that may write, and to where all uses are, if that is not always executed.
#include "ls_compiler.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace
{
struct Flow {
    DominatorTree &dominators;
    PostDominatorTree &ends;
    LoopInfo &loops;
    void *uniformity;
};
} // namespace

static bool isTransposed(const Instruction &i)
{
    auto *call = dyn_cast<IntrinsicInst>(&i);
    if (!call || !call->isConvergent() || !call->onlyReadsMemory())
        return false;
    const std::string name = call->getCalledFunction()->getName().str();
    return name.rfind("llvm.amdgcn.ds.read.tr", 0) == 0 || name.rfind("llvm.amdgcn.ds.load.tr", 0) == 0 ||
           name.rfind("llvm.amdgcn.global.load.tr", 0) == 0;
}

// The block that all uses are in or behind; NULL: there are none.
static BasicBlock *blockOfUses(const Flow &flow, const Instruction &i)
{
    BasicBlock *all = nullptr;
    for (const Use &u : i.uses()) {
        auto *user = cast<Instruction>(u.getUser());
        auto *phi = dyn_cast<PHINode>(user);
        BasicBlock *b = phi ? phi->getIncomingBlock(u) : user->getParent();
        all = all ? flow.dominators.findNearestCommonDominator(all, b) : b;
    }
    return all;
}

// The next block on the way to `to` that everything going there passes; NULL: it is there.
static BasicBlock *nextTowards(const Flow &flow, BasicBlock *from, BasicBlock *to)
{
    auto *node = to ? flow.dominators.getNode(to) : nullptr;
    if (!node || from == to || !flow.dominators.dominates(from, to))
        return nullptr;
    while (node->getIDom() && node->getIDom()->getBlock() != from)
        node = node->getIDom();
    return node->getBlock();
}

static bool writes(const BasicBlock &b)
{
    for (const Instruction &i : b)
        if (i.mayWriteToMemory())
            return true;
    return false;
}

// Whether something on a way from the end of one block to the other may write.
static bool isWrittenBetween(BasicBlock *from, BasicBlock *to)
{
    SmallVector<BasicBlock *, 8> open(pred_begin(to), pred_end(to));
    SmallPtrSet<BasicBlock *, 8> seen;
    while (!open.empty()) {
        BasicBlock *b = open.pop_back_val();
        if (b == from || !seen.insert(b).second)
            continue;
        if (writes(*b))
            return true;
        open.append(pred_begin(b), pred_end(b));
    }
    return false;
}

// A branch that switches no lanes off, whose values the read would lack.
static bool isUniform(const Flow &flow, BasicBlock &b)
{
    auto *branch = dyn_cast<BranchInst>(b.getTerminator());
    return branch &&
           (branch->isUnconditional() || ls_is_uniform(flow.uniformity, wrap(branch->getCondition())));
}

// Where the read goes; NULL: it stays.
static BasicBlock *target(const Flow &flow, const Instruction &i)
{
    auto *from = const_cast<BasicBlock *>(i.getParent());
    BasicBlock *uses = blockOfUses(flow, i), *found = nullptr;
    for (BasicBlock *at = from, *next; (next = nextTowards(flow, at, uses)); at = next) {
        const bool alone = next->getUniquePredecessor() == at;
        if (!isUniform(flow, *at) || flow.loops.getLoopDepth(next) > flow.loops.getLoopDepth(at) ||
            (!alone && isWrittenBetween(at, next)) || (at != from && writes(*at)) || next->isEHPad())
            break;
        if (!flow.ends.dominates(next, from))
            found = next;
    }
    return found;
}

static bool sinkFrom(const Flow &flow, BasicBlock &b)
{
    SmallVector<Instruction *, 16> reads;
    for (Instruction &i : b) {
        if (i.mayWriteToMemory())
            reads.clear();
        else if (isTransposed(i))
            reads.push_back(&i);
    }
    bool moved = false;
    while (!reads.empty()) { // the last one first: what it is made of may be another
        Instruction *i = reads.pop_back_val();
        if (BasicBlock *to = target(flow, *i)) {
            i->moveBefore(*to, to->getFirstInsertionPt());
            moved = true;
        }
    }
    return moved;
}

static bool hasTransposed(Function &f)
{
    for (const BasicBlock &b : f)
        for (const Instruction &i : b)
            if (isTransposed(i))
                return true;
    return false;
}

bool ls_sink_transposed(void *manager, LLVMValueRef clone)
{
    Function &f = *unwrap<Function>(clone);
    if (!hasTransposed(f))
        return false;
    FunctionAnalysisManager &analyses = ls_function_analyses(manager, *f.getParent());
    const Flow flow = {analyses.getResult<DominatorTreeAnalysis>(f),
                       analyses.getResult<PostDominatorTreeAnalysis>(f), analyses.getResult<LoopAnalysis>(f),
                       ls_uniformity(manager, clone)};
    bool moved = false;
    for (BasicBlock &b : f)
        moved |= flow.dominators.isReachableFromEntry(&b) && sinkFrom(flow, b);
    if (moved) {
        PreservedAnalyses kept;
        kept.preserveSet<CFGAnalyses>();
        analyses.invalidate(f, kept);
    }
    return moved;
}
