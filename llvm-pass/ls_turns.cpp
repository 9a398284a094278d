// ls_turns.cpp - accesses that a loop makes on each of its turns, at addresses that are known before it: those of the
// first turn, a step that is the same in all lanes, and the number of turns (docs/internals/site-table.md, "Turns").
//
// One probe in front of the loop stands for all turns, so that it must be certain that each turn makes the access,
// with the lanes that come to the loop: the loop is left at its end alone, by all lanes at once, and the access is on
// every way to that end.
#include "ls_compiler.h"
#include "ls_shim.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <deque>

using namespace llvm;

// What is known of a loop.
struct Ends {
    const SCEV *more = nullptr; // turns - 1; null: nothing can be told before it
    unsigned number = 0;
};

// How an address goes on from turn to turn: by step * scale bytes.
struct Way {
    const SCEV *step = nullptr;
    int32_t scale = 1;
    // The number of 32 bits that the step is added to before it is extended, if that may wrap.
    const SCEVAddRecExpr *index = nullptr;
    bool isSigned = false;
};

struct ls_turns {
    struct ls_loops *all = nullptr;
    const Loop *loop = nullptr;
    Value *pointer = nullptr, *index = nullptr;
    Way way;
    const SCEV *more = nullptr;
    unsigned number = 0;
    DenseMap<Value *, Value *> first; // of values in the loop: that of the first turn
};

struct ls_loops {
    ScalarEvolution *evolution;
    LoopInfo *loops;
    DominatorTree *dominators;
    void *uniformity;
    DenseMap<const Loop *, Ends> ends;
    std::deque<ls_turns> turns;
};

// Longest chain of instructions that is done in front of the loop, too.
constexpr unsigned mostInstructions = 64;

struct ls_loops *ls_find_loops(void *manager, LLVMValueRef function, void *uniformity)
{
    Function *f = unwrap<Function>(function);
    FunctionAnalysisManager &functions = ls_function_analyses(manager, *f->getParent());
    auto *l = new ls_loops;
    l->evolution = &functions.getResult<ScalarEvolutionAnalysis>(*f);
    l->loops = &functions.getResult<LoopAnalysis>(*f);
    l->dominators = &functions.getResult<DominatorTreeAnalysis>(*f);
    l->uniformity = uniformity;
    return l;
}

void ls_free_loops(struct ls_loops *l)
{
    delete l;
}

// ---- loops ----

// What neither ends a wavefront nor switches lanes off for good, and is over sooner or later. At a barrier a wavefront
// waits for others that are in the same loop.
static bool goesOn(const Instruction &i)
{
    auto *call = dyn_cast<CallBase>(&i);
    if (!call || isa<MemIntrinsic>(call))
        return true;
    const Function *f = call->getCalledFunction();
    if (!f || !f->isIntrinsic())
        return false;
    StringRef name = f->getName();
    bool waits = name.find(".barrier") != StringRef::npos || name.find(".waitcnt") != StringRef::npos;
    return waits || isa<DbgInfoIntrinsic>(call) || call->hasFnAttr(Attribute::WillReturn);
}

static bool isUniformEnd(const struct ls_loops *l, const BasicBlock *block)
{
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional())
        return false;
    return isa<Constant>(branch->getCondition()) ||
           ls_is_uniform(l->uniformity, wrap(branch->getCondition()));
}

static bool allGoOn(const struct ls_loops *l, const Loop *loop)
{
    for (const BasicBlock *block : loop->blocks()) {
        // Loops inside that nobody knows an end of may wait for something.
        if (l->loops->isLoopHeader(block) &&
            isa<SCEVCouldNotCompute>(l->evolution->getBackedgeTakenCount(l->loops->getLoopFor(block))))
            return false;
        for (const Instruction &i : *block)
            if (!goesOn(i))
                return false;
    }
    return true;
}

// The instruction in front of which the probes go.
static Instruction *before(const Loop *loop)
{
    return loop->getLoopPreheader()->getTerminator();
}

#if LLVM_VERSION_MAJOR >= 22
#define EXPANDER(evolution, function) SCEVExpander((evolution), "ls")
#else
#define EXPANDER(evolution, function)                                                                        \
    SCEVExpander((evolution), (function)->getParent()->getDataLayout(), "ls")
#endif
#if LLVM_VERSION_MAJOR >= 18
#define EXPAND_AT(instruction) (instruction)->getIterator()
#else
#define EXPAND_AT(instruction) (instruction)
#endif

static bool canCompute(const struct ls_loops *l, const SCEV *value, const Loop *loop)
{
    auto expander = EXPANDER(*l->evolution, loop->getHeader()->getParent());
    return l->evolution->isLoopInvariant(value, loop) && expander.isSafeToExpandAt(value, before(loop));
}

// A division takes longer than what is saved, unless it is a shift.
static bool divides(const SCEV *value)
{
    return SCEVExprContains(value, [](const SCEV *s) {
        auto *d = dyn_cast<SCEVUDivExpr>(s);
        auto *by = d ? dyn_cast<SCEVConstant>(d->getRHS()) : nullptr;
        return d && !(by && by->getAPInt().isPowerOf2());
    });
}

static Ends endsOf(struct ls_loops *l, const Loop *loop)
{
    Ends e;
    const BasicBlock *latch = loop->getLoopLatch();
    if (!latch || !loop->getLoopPreheader() || loop->getExitingBlock() != latch || !isUniformEnd(l, latch))
        return e;
    const SCEV *more = l->evolution->getBackedgeTakenCount(loop);
    if (isa<SCEVCouldNotCompute>(more) || more->getType()->getIntegerBitWidth() > 64 || divides(more) ||
        !canCompute(l, more, loop) || !allGoOn(l, loop))
        return e;
    e.more = more;
    return e;
}

static Ends ends(struct ls_loops *l, const Loop *loop)
{
    auto found = l->ends.find(loop);
    if (found != l->ends.end())
        return found->second;
    Ends e = endsOf(l, loop);
    e.number = l->ends.size() + 1;
    l->ends[loop] = e;
    return e;
}

// ---- addresses ----

// A value that is computed from others alone.
static bool isPlain(const Instruction *i)
{
    if (auto *call = dyn_cast<IntrinsicInst>(i))
        return call->doesNotAccessMemory() && !call->isConvergent();
    return isa<BinaryOperator>(i) || isa<UnaryOperator>(i) || isa<CastInst>(i) || isa<GetElementPtrInst>(i) ||
           isa<SelectInst>(i) || isa<CmpInst>(i) || isa<FreezeInst>(i) || isa<ExtractElementInst>(i) ||
           isa<InsertElementInst>(i) || isa<ShuffleVectorInst>(i);
}

static const Instruction *inLoop(const Value *v, const Loop *loop)
{
    auto *i = dyn_cast<Instruction>(v);
    return i && loop->contains(i) ? i : nullptr;
}

// Whether the value that it has on the first turn can be computed in front of the loop.
static bool hasFirst(const Value *v, const Loop *loop, SmallPtrSetImpl<const Value *> &seen)
{
    const Instruction *i = inLoop(v, loop);
    if (!i || !seen.insert(i).second)
        return true;
    if (seen.size() > mostInstructions)
        return false;
    if (isa<PHINode>(i))
        return i->getParent() == loop->getHeader();
    if (!isPlain(i))
        return false;
    for (const Value *operand : i->operands())
        if (!hasFirst(operand, loop, seen))
            return false;
    return true;
}

// Depth is limited by hasFirst.
static Value *first(struct ls_turns *t, Value *v)
{
    auto *i = const_cast<Instruction *>(inLoop(v, t->loop));
    if (!i)
        return v;
    if (auto *phi = dyn_cast<PHINode>(i))
        return phi->getIncomingValueForBlock(t->loop->getLoopPreheader());
    auto found = t->first.find(i);
    if (found != t->first.end())
        return found->second;
    Instruction *copy = i->clone();
    for (Use &operand : copy->operands())
        operand.set(first(t, operand.get()));
    IRBuilder<>(before(t->loop)).Insert(copy);
    t->first[i] = copy;
    return copy;
}

// Whether all lanes that come to the loop have the same value.
static bool isUniform(const struct ls_loops *l, const SCEV *value, const Loop *loop)
{
    return !SCEVExprContains(value, [&](const SCEV *s) {
        auto *u = dyn_cast<SCEVUnknown>(s);
        if (!u)
            return false;
        auto *i = dyn_cast<Instruction>(u->getValue());
        const Loop *around = i ? l->loops->getLoopFor(i->getParent()) : nullptr;
        // Lanes that left another loop at different times have different values of it.
        return (around && !around->contains(loop)) || !ls_is_uniform(l->uniformity, wrap(u->getValue()));
    });
}

static bool canStep(struct ls_loops *l, const SCEVAddRecExpr *recurrence, const Loop *loop)
{
    if (recurrence->getLoop() != loop || !recurrence->isAffine())
        return false;
    const SCEV *step = recurrence->getStepRecurrence(*l->evolution);
    return isUniform(l, step, loop) && !divides(step) && canCompute(l, step, loop);
}

// The operand that differs from turn to turn; null: there are more than one.
static const SCEV *theOther(ScalarEvolution &se, const SCEVNAryExpr *sum, const Loop *loop)
{
    const SCEV *found = nullptr;
    for (const SCEV *operand : sum->operands()) {
        if (se.isLoopInvariant(operand, loop))
            continue;
        if (found)
            return nullptr;
        found = operand;
    }
    return found;
}

static bool multiply(int32_t &scale, const SCEVMulExpr *product)
{
    auto *c = product->getNumOperands() == 2 ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;
    return c && c->getAPInt().isSignedIntN(32) &&
           !__builtin_mul_overflow(scale, (int32_t)c->getAPInt().getSExtValue(), &scale);
}

// An address that is a sum of what no turn changes and a multiple of an index that is extended from 32 bits.
static bool byIndex(struct ls_loops *l, const SCEV *s, const Loop *loop, Way &way)
{
    while (s) {
        if (auto *sum = dyn_cast<SCEVAddExpr>(s)) {
            s = theOther(*l->evolution, sum, loop);
            continue;
        }
        if (auto *product = dyn_cast<SCEVMulExpr>(s)) {
            if (!multiply(way.scale, product))
                return false;
            s = product->getOperand(1);
            continue;
        }
        break;
    }
    if (!s || (!isa<SCEVSignExtendExpr>(s) && !isa<SCEVZeroExtendExpr>(s)))
        return false;
    way.index = dyn_cast<SCEVAddRecExpr>(cast<SCEVCastExpr>(s)->getOperand());
    way.isSigned = isa<SCEVSignExtendExpr>(s);
    if (!way.index || !way.index->getType()->isIntegerTy(32) || !canStep(l, way.index, loop))
        return false;
    way.step = way.index->getStepRecurrence(*l->evolution);
    return true;
}

static bool findWay(struct ls_loops *l, Value *pointer, const Loop *loop, Way &way)
{
    ScalarEvolution &se = *l->evolution;
    if (!se.isSCEVable(pointer->getType()))
        return false;
    const SCEV *s = se.getSCEV(pointer);
    if (se.isLoopInvariant(s, loop)) {
        way.step = se.getZero(se.getEffectiveSCEVType(pointer->getType()));
        return true;
    }
    auto *recurrence = dyn_cast<SCEVAddRecExpr>(s);
    if (!recurrence)
        return byIndex(l, s, loop, way);
    way.step = recurrence->getStepRecurrence(se);
    return canStep(l, recurrence, loop);
}

// The instruction that computes the index.
static Value *findIndex(struct ls_loops *l, const SCEV *index, const SmallPtrSetImpl<const Value *> &seen)
{
    for (const Value *v : seen)
        if (v->getType()->isIntegerTy(32) && l->evolution->getSCEV(const_cast<Value *>(v)) == index)
            return const_cast<Value *>(v);
    return nullptr;
}

struct ls_turns *ls_turns_of(struct ls_loops *l, LLVMValueRef instruction, LLVMValueRef pointer)
{
    const BasicBlock *block = unwrap<Instruction>(instruction)->getParent();
    const Loop *loop = l->loops->getLoopFor(block);
    if (!loop || !loop->getLoopLatch() || !l->dominators->dominates(block, loop->getLoopLatch()))
        return nullptr;
    const Ends e = ends(l, loop);
    SmallPtrSet<const Value *, 16> seen;
    ls_turns t;
    t.pointer = unwrap(pointer);
    if (!e.more || e.number > 0xffff || !hasFirst(t.pointer, loop, seen) ||
        !findWay(l, t.pointer, loop, t.way))
        return nullptr;
    if (t.way.index && !(t.index = findIndex(l, t.way.index, seen)))
        return nullptr;
    t.all = l;
    t.loop = loop;
    t.more = e.more;
    t.number = e.number;
    l->turns.push_back(std::move(t));
    return &l->turns.back();
}

LLVMValueRef ls_before_turns(const struct ls_turns *t)
{
    return wrap(before(t->loop));
}

unsigned ls_loop_number(const struct ls_turns *t)
{
    return t->number;
}

LLVMValueRef ls_first_pointer(struct ls_turns *t)
{
    return wrap(first(t, t->pointer));
}

static Value *compute(const struct ls_turns *t, const SCEV *value, bool isSigned)
{
    Instruction *at = before(t->loop);
    auto expander = EXPANDER(*t->all->evolution, at->getFunction());
    Type *wide = Type::getInt64Ty(at->getContext());
    IRBuilder<> b(at);
    Value *v = expander.expandCodeFor(value, value->getType(), EXPAND_AT(at));
    return b.CreateIntCast(v, wide, isSigned);
}

LLVMValueRef ls_step(struct ls_turns *t)
{
    return wrap(compute(t, t->way.step, true));
}

LLVMValueRef ls_more_turns(struct ls_turns *t)
{
    return wrap(compute(t, t->more, false));
}

int32_t ls_scale(const struct ls_turns *t)
{
    return t->way.scale;
}

LLVMValueRef ls_first_index(struct ls_turns *t, bool *is_signed)
{
    *is_signed = t->way.isSigned;
    return t->index ? wrap(first(t, t->index)) : nullptr;
}
