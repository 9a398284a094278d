// ls_turns.cpp - accesses that a loop makes on each of its turns, at addresses that are known before it: those of the
// first turn, a step that is the same in all lanes, and the number of turns (docs/internals/site-table.md, "Turns").
//
// One probe in front of the loop stands for all turns, so that it must be certain that each turn makes the access,
// with the lanes that come to the loop: the loop is left at its end alone, by all lanes at once or by each after a
// number of turns that it knows before, and the access is on every way to that end; or the conditions that it is made under are
// known before the loop, too (ls_guards.cpp).
#include "device-lib/head.h"
#include "ls_turns.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

// Longest chain of instructions that is done in front of the loop, too.
constexpr unsigned mostInstructions = 64;
constexpr unsigned waveLanes = 64;
// Of a division that is worth it: it takes as long as half a message.
constexpr unsigned divisionBits = 32;

struct ls_loops *ls_find_loops(void *manager, LLVMValueRef function, void *uniformity, bool wave32)
{
    Function *f = unwrap<Function>(function);
    FunctionAnalysisManager &functions = ls_function_analyses(manager, *f->getParent());
    auto *l = new ls_loops;
    l->evolution = &functions.getResult<ScalarEvolutionAnalysis>(*f);
    l->loops = &functions.getResult<LoopAnalysis>(*f);
    l->dominators = &functions.getResult<DominatorTreeAnalysis>(*f);
    l->uniformity = uniformity;
    l->wave32 = wave32;
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

bool ls_is_uniform_value(const struct ls_loops *l, const Value *value)
{
    return isa<Constant>(value) || ls_is_uniform(l->uniformity, wrap(value));
}

// The condition of the branch that ends a block; null: none does.
static const Value *condition(const BasicBlock *block)
{
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    return branch && branch->isConditional() ? branch->getCondition() : nullptr;
}

static bool isBarrier(const Instruction &i)
{
    auto *call = dyn_cast<CallBase>(&i);
    const Function *f = call ? call->getCalledFunction() : nullptr;
    return f && f->getName().find(".barrier") != StringRef::npos;
}

// With `lanes` some may be gone: at a barrier in such a loop anything may happen.
static bool allGoOn(const struct ls_loops *l, const Loop *loop, bool lanes)
{
    for (const BasicBlock *block : loop->blocks()) {
        // Loops inside that nobody knows an end of may wait for something.
        if (block != loop->getHeader() && l->loops->isLoopHeader(block) &&
            isa<SCEVCouldNotCompute>(l->evolution->getBackedgeTakenCount(l->loops->getLoopFor(block))))
            return false;
        for (const Instruction &i : *block)
            if (!goesOn(i) || (lanes && isBarrier(i)))
                return false;
    }
    return true;
}

Instruction *ls_before_loop(const Loop *loop)
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
    return l->evolution->isLoopInvariant(value, loop) &&
           expander.isSafeToExpandAt(value, ls_before_loop(loop));
}

static const SCEVConstant *constantDivisor(const SCEVUDivExpr *d)
{
    return dyn_cast<SCEVConstant>(d->getRHS());
}

// Whether it takes a division of more than so many bits; one by a power of two is a shift.
static bool divides(const SCEV *value, unsigned bits = 0)
{
    return SCEVExprContains(value, [&](const SCEV *s) {
        auto *d = dyn_cast<SCEVUDivExpr>(s);
        auto *by = d ? constantDivisor(d) : nullptr;
        return d && !(by && by->getAPInt().isPowerOf2()) && d->getType()->getIntegerBitWidth() > bits;
    });
}

// Whether lanes of a wavefront have about the same value: what differs among them is divided, by what is as large as a
// wavefront or, unknown, probably is: the stride of a grid. Each number that lanes have costs a message.
static bool isNearlyUniform(const struct ls_loops *l, const SCEV *value)
{
    struct Differs {
        const struct ls_loops *l;
        bool found = false;
        bool follow(const SCEV *s)
        {
            if (auto *u = dyn_cast<SCEVUnknown>(s))
                found |= !ls_is_uniform_value(l, u->getValue());
            auto *d = dyn_cast<SCEVUDivExpr>(s);
            const SCEVConstant *by = d ? constantDivisor(d) : nullptr;
            return !(d && (!by || by->getAPInt().uge(waveLanes)));
        }
        bool isDone() const
        {
            return found;
        }
    } differs{l};
    visitAll(value, differs);
    return !differs.found;
}

const Instruction *ls_in_loop(const Value *v, const Loop *loop)
{
    auto *i = dyn_cast<Instruction>(v);
    return i && loop->contains(i) ? i : nullptr;
}

// What each turn adds to the number in front of it; null: it is another function of it.
static Value *addedTo(const PHINode *phi, const Loop *loop)
{
    auto *sum = dyn_cast<BinaryOperator>(phi->getIncomingValueForBlock(loop->getLoopLatch()));
    if (!sum || sum->getOpcode() != Instruction::Add)
        return nullptr;
    Value *other = sum->getOperand(sum->getOperand(0) == phi ? 1 : 0);
    bool adds = sum->getOperand(0) == phi || sum->getOperand(1) == phi;
    return adds && !ls_in_loop(other, loop) ? other : nullptr;
}

// The number that a turn compares and adds to: a counter of the loop, before or behind the addition.
static const PHINode *counterOf(const Value *compared, const Loop *loop)
{
    for (const PHINode &phi : loop->getHeader()->phis())
        if (&phi == compared || phi.getIncomingValueForBlock(loop->getLoopLatch()) == compared)
            return &phi;
    return nullptr;
}

static Rising risingOf(const struct ls_loops *l, const Loop *loop)
{
    Rising r;
    auto *branch = cast<BranchInst>(loop->getLoopLatch()->getTerminator());
    auto *compare = dyn_cast<ICmpInst>(branch->getCondition());
    if (!compare || !compare->getOperand(0)->getType()->isIntegerTy(32))
        return r;
    CmpInst::Predicate stays = compare->getPredicate();
    Value *value = compare->getOperand(0), *bound = compare->getOperand(1);
    if (ls_in_loop(bound, loop)) {
        std::swap(value, bound);
        stays = CmpInst::getSwappedPredicate(stays);
    }
    if (branch->getSuccessor(0) != loop->getHeader())
        stays = CmpInst::getInversePredicate(stays);
    const PHINode *counter = counterOf(value, loop);
    Value *step = counter ? addedTo(counter, loop) : nullptr;
    if (!step || ls_in_loop(bound, loop) || (stays != CmpInst::ICMP_SLT && stays != CmpInst::ICMP_ULT) ||
        !ls_is_uniform_value(l, step) || !ls_is_uniform_value(l, bound))
        return r;
    r.value = value;
    r.step = step;
    r.bound = bound;
    r.isSigned = stays == CmpInst::ICMP_SLT;
    return r;
}

// Whether lanes that leave it one by one make about as many turns each.
static bool isWide(const Rising &r)
{
    auto *step = dyn_cast<ConstantInt>(r.step);
    return !step || step->getValue().uge(waveLanes);
}

static Ends endsOf(struct ls_loops *l, const Loop *loop)
{
    Ends e;
    const BasicBlock *latch = loop->getLoopLatch();
    const Value *leaves = latch ? condition(latch) : nullptr;
    if (!leaves || !loop->getLoopPreheader() || loop->getExitingBlock() != latch)
        return e;
    const SCEV *more = l->evolution->getBackedgeTakenCount(loop);
    const bool lanes = !ls_is_uniform_value(l, leaves);
    if (!allGoOn(l, loop, lanes))
        return e;
    const bool told = !isa<SCEVCouldNotCompute>(more) && more->getType()->getIntegerBitWidth() <= 64 &&
                      !divides(more, lanes ? divisionBits : 0) && canCompute(l, more, loop) &&
                      (!lanes || isNearlyUniform(l, more));
    e.apart = lanes;
    // What it tells of a sum that cannot wrap has parts that are not divided, if nobody knows the step.
    Rising r = told ? Rising() : risingOf(l, loop);
    if (told)
        e.more = more;
    else if (r.value && (!lanes || isWide(r)))
        e.rising = r;
    return e;
}

static Ends *ends(struct ls_loops *l, const Loop *loop)
{
    auto found = l->ends.find(loop);
    if (found != l->ends.end())
        return &found->second;
    Ends e = endsOf(l, loop);
    e.number = l->ends.size() + 1;
    return &(l->ends[loop] = e);
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

bool ls_has_first(const Value *v, const Loop *loop, SmallPtrSetImpl<const Value *> &seen)
{
    const Instruction *i = ls_in_loop(v, loop);
    if (!i || !seen.insert(i).second)
        return true;
    if (seen.size() > mostInstructions)
        return false;
    if (isa<PHINode>(i))
        return i->getParent() == loop->getHeader();
    if (!isPlain(i))
        return false;
    for (const Value *operand : i->operands())
        if (!ls_has_first(operand, loop, seen))
            return false;
    return true;
}

// The value on the second turn of a number that has two, each on every second turn: `at ^= 1`, or the other one of two that change
// places; computed in front of the loop. Null: it is no such number.
static Value *alternate(const PHINode *phi, const Loop *loop, bool make)
{
    Value *next = phi->getIncomingValueForBlock(loop->getLoopLatch());
    if (auto *other = dyn_cast<PHINode>(next))
        return other != phi && other->getParent() == loop->getHeader() &&
                       other->getIncomingValueForBlock(loop->getLoopLatch()) == phi
                   ? other->getIncomingValueForBlock(loop->getLoopPreheader())
                   : nullptr;
    auto *flip = dyn_cast<BinaryOperator>(next);
    if (!flip || flip->getOpcode() != Instruction::Xor || flip->getOperand(0) != phi ||
        !isa<ConstantInt>(flip->getOperand(1)))
        return nullptr;
    Value *start = phi->getIncomingValueForBlock(loop->getLoopPreheader());
    return make ? IRBuilder<>(ls_before_loop(loop)).CreateXor(start, flip->getOperand(1)) : start;
}

static Value *start(const PHINode *phi, const Loop *loop)
{
    return phi->getIncomingValueForBlock(loop->getLoopPreheader());
}

static Value *next(const PHINode *phi, const Loop *loop)
{
    return alternate(phi, loop, true);
}

// The value that it has on a turn, computed in front of the loop from those that the loop's numbers have then. `made`: of other values.
// Depth is limited by ls_has_first.
static Value *onTurn(const struct ls_turns *t, Value *v, DenseMap<Value *, Value *> &made,
                     Value *(*number)(const PHINode *, const Loop *))
{
    auto *i = const_cast<Instruction *>(ls_in_loop(v, t->loop));
    if (!i)
        return v;
    auto found = made.find(i);
    if (found != made.end())
        return found->second;
    Value *value;
    if (auto *phi = dyn_cast<PHINode>(i)) {
        value = number(phi, t->loop);
    } else {
        Instruction *copy = i->clone();
        for (Use &operand : copy->operands())
            operand.set(onTurn(t, operand.get(), made, number));
        value = IRBuilder<>(ls_before_loop(t->loop)).Insert(copy);
    }
    made[i] = value;
    return value;
}

Value *ls_first(struct ls_turns *t, Value *v)
{
    return onTurn(t, v, t->first, start);
}

// Whether a value that is computed from these, and from what no turn changes, has two values, each on every second turn.
static bool alternates(const SmallPtrSetImpl<const Value *> &seen, const Loop *loop)
{
    bool any = false;
    for (const Value *v : seen) {
        auto *phi = dyn_cast<PHINode>(v);
        if (phi && !alternate(phi, loop, false))
            return false;
        any |= phi != nullptr;
    }
    return any;
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

// The step of a rising loop, where that is what the recurrence adds.
static Value *knownStep(struct ls_loops *l, const SCEV *step, const Loop *loop)
{
    Value *known = ends(l, loop)->rising.step;
    return known && l->evolution->getSCEV(known) == step ? known : nullptr;
}

static bool canStep(struct ls_loops *l, const SCEVAddRecExpr *recurrence, const Loop *loop)
{
    if (recurrence->getLoop() != loop || !recurrence->isAffine())
        return false;
    const SCEV *step = recurrence->getStepRecurrence(*l->evolution);
    if (!isUniform(l, step, loop))
        return false;
    return knownStep(l, step, loop) || (!divides(step) && canCompute(l, step, loop));
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
    way.known = knownStep(l, way.step, loop);
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
    way.known = knownStep(l, way.step, loop);
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
    if (!loop || !loop->getLoopLatch())
        return nullptr;
    const bool always = l->dominators->dominates(block, loop->getLoopLatch());
    Ends *e = ends(l, loop);
    SmallPtrSet<const Value *, 16> seen;
    ls_turns t;
    if (!always && (!e->more || !(t.guard = ls_guard_of(l, loop, block))))
        return nullptr;
    t.pointer = unwrap(pointer);
    if ((!e->more && !e->rising.value) || e->number > 0xffff || !ls_has_first(t.pointer, loop, seen))
        return nullptr;
    if (!findWay(l, t.pointer, loop, t.way)) {
        if (!e->more || !alternates(seen, loop))
            return nullptr;
        t.alternates = true;
        t.way = Way();
        t.way.step = l->evolution->getZero(l->evolution->getEffectiveSCEVType(t.pointer->getType()));
    }
    if (t.way.index && !(t.index = findIndex(l, t.way.index, seen)))
        return nullptr;
    t.all = l;
    t.loop = loop;
    t.ends = e;
    l->turns.push_back(std::move(t));
    return &l->turns.back();
}

LLVMValueRef ls_before_turns(const struct ls_turns *t)
{
    return wrap(ls_before_loop(t->loop));
}

unsigned ls_loop_number(const struct ls_turns *t)
{
    return t->ends->number;
}

bool ls_same_loop(const struct ls_turns *a, const struct ls_turns *b)
{
    return a->ends == b->ends && a->guard == b->guard && a->alternates == b->alternates;
}

bool ls_alternates(const struct ls_turns *t)
{
    return t->alternates;
}

LLVMValueRef ls_second_pointer(struct ls_turns *t)
{
    return wrap(onTurn(t, t->pointer, t->second, next));
}

LLVMValueRef ls_first_pointer(struct ls_turns *t)
{
    return wrap(ls_first(t, t->pointer));
}

static Value *compute(const struct ls_turns *t, const SCEV *value, bool isSigned)
{
    Instruction *at = ls_before_loop(t->loop);
    auto expander = EXPANDER(*t->all->evolution, at->getFunction());
    Type *wide = Type::getInt64Ty(at->getContext());
    IRBuilder<> b(at);
    Value *v = expander.expandCodeFor(value, value->getType(), EXPAND_AT(at));
    return b.CreateIntCast(v, wide, isSigned);
}

LLVMValueRef ls_step(struct ls_turns *t)
{
    if (!t->way.known)
        return wrap(compute(t, t->way.step, true));
    IRBuilder<> b(ls_before_loop(t->loop));
    return wrap(b.CreateSExt(t->way.known, b.getInt64Ty()));
}

// In front of the loop: neither step nor sums wrap, so that turn k compares first + k * step, and the last one has at least
// the bound.
static void tellRising(struct ls_turns *t, Value *wave)
{
    Rising &r = t->ends->rising;
    IRBuilder<> b(ls_before_loop(t->loop));
    Type *wide = b.getInt64Ty();
    Value *start = ls_first(t, r.value);
    Value *reaches =
        b.CreateAdd(b.CreateIntCast(r.bound, wide, r.isSigned), b.CreateIntCast(r.step, wide, r.isSigned));
    Value *fits = b.CreateICmpSLE(reaches, ConstantInt::get(wide, r.isSigned ? 1ull << 31 : 1ull << 32));
    Value *rises =
        r.isSigned ? b.CreateICmpSGT(r.step, b.getInt32(0)) : b.CreateICmpNE(r.step, b.getInt32(0));
    r.told = b.CreateAnd(fits, rises);
    Value *by = b.CreateSelect(r.told, r.step, b.getInt32(1));
    Value *more =
        b.CreateAdd(b.CreateUDiv(b.CreateSub(b.CreateSub(r.bound, start), b.getInt32(1)), by), b.getInt32(1));
    Value *below = r.isSigned ? b.CreateICmpSLT(start, r.bound) : b.CreateICmpULT(start, r.bound);
    r.more = b.CreateZExt(b.CreateSelect(below, more, b.getInt32(0)), wide);
    r.waveBefore = b.CreateSelect(r.told, wave, ConstantInt::get(wide, WAVE_SILENT));
    r.waveInside = b.CreateSelect(r.told, ConstantInt::get(wide, WAVE_SILENT), wave);
}

LLVMValueRef ls_waves(struct ls_turns *t, LLVMValueRef wave, LLVMValueRef *inside)
{
    Rising &r = t->ends->rising;
    if (r.value && !r.told)
        tellRising(t, unwrap(wave));
    *inside = r.value ? wrap(r.waveInside) : nullptr;
    return r.value ? wrap(r.waveBefore) : wave;
}

Value *ls_all_turns(const struct ls_turns *t)
{
    const Ends *e = t->ends;
    return e->more ? compute(t, e->more, false) : e->rising.more;
}

LLVMValueRef ls_more_turns(struct ls_turns *t)
{
    return wrap(t->guard ? t->guard->more : ls_all_turns(t));
}

LLVMValueRef ls_other_turns(struct ls_turns *t, LLVMValueRef more, LLVMValueRef before)
{
    if (!t->ends->apart && !t->guard)
        return nullptr;
    IRBuilder<> b(unwrap<Instruction>(before));
    Value *low = b.CreateTrunc(unwrap(more), b.getInt32Ty());
    return wrap(b.CreateICmpNE(low, unwrap(ls_of_first_lane(before, wrap(low)))));
}

int32_t ls_scale(const struct ls_turns *t)
{
    return t->way.scale;
}

LLVMValueRef ls_first_index(struct ls_turns *t, bool *is_signed)
{
    *is_signed = t->way.isSigned;
    return t->index ? wrap(ls_first(t, t->index)) : nullptr;
}
