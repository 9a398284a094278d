// ls_guards.cpp - accesses that a loop makes under conditions of which is known before it, in each lane, on how many turns they
// hold: the first ones, and no other. As of `if (row < rows && k * 16 + column < columns)`: the first half is the same on all
// turns, the second compares a number that rises with what stays. One probe in front of the loop tells the access for the lanes
// that make it, and the turns on which they do (docs/internals/site-table.md, "Turns").
#include "ls_turns.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/PatternMatch.h"

using namespace PatternMatch;

constexpr unsigned mostConditions = 8;
// Bytes or elements by which each turn moves a number that differs from lane to lane, at least: so the lanes, which are next to each
// other, make few numbers of turns. Each number costs a message.
constexpr int64_t leastStep = 8;

static bool isSame(const struct ls_loops *l, const Loop *loop, Value *v)
{
    return l->evolution->isLoopInvariant(l->evolution->getSCEV(v), loop);
}

static bool hasFirst(const Loop *loop, const Value *v)
{
    SmallPtrSet<const Value *, 16> seen;
    return ls_has_first(v, loop, seen);
}

// What the number must be for the condition to hold on the first turns only: less than the bound if it rises, else more.
static bool setDirection(Condition &c, CmpInst::Predicate p)
{
    const bool less =
        p == CmpInst::ICMP_SLT || p == CmpInst::ICMP_SLE || p == CmpInst::ICMP_ULT || p == CmpInst::ICMP_ULE;
    c.isSigned = CmpInst::isSigned(p);
    c.reaches = CmpInst::isNonStrictPredicate(p);
    return CmpInst::isRelational(p) && less == (c.step > 0);
}

static bool addCompare(struct ls_loops *l, const Loop *loop, ICmpInst *compare, bool wanted, Guard &g)
{
    Value *number = compare->getOperand(0), *bound = compare->getOperand(1);
    CmpInst::Predicate p = wanted ? compare->getPredicate() : compare->getInversePredicate();
    if (!number->getType()->isIntegerTy(32) && !number->getType()->isIntegerTy(64))
        return false;
    if (isSame(l, loop, number)) {
        std::swap(number, bound);
        p = CmpInst::getSwappedPredicate(p);
    }
    if (!isSame(l, loop, bound) || !hasFirst(loop, compare))
        return false;
    Condition c;
    if (isSame(l, loop, number)) {
        c.same = compare;
        c.wanted = wanted;
        g.conditions.push_back(c);
        return true;
    }
    auto *r = dyn_cast<SCEVAddRecExpr>(l->evolution->getSCEV(number));
    auto *step =
        r && r->getLoop() == loop && r->isAffine() ? dyn_cast<SCEVConstant>(r->getOperand(1)) : nullptr;
    if (!step || !step->getAPInt().isSignedIntN(32))
        return false;
    c.number = number;
    c.bound = bound;
    c.step = step->getAPInt().getSExtValue();
    if (!setDirection(c, p) || !ls_is_uniform_value(l, bound) ||
        (!ls_is_uniform_value(l, number) && std::abs(c.step) < leastStep))
        return false;
    c.wraps = c.isSigned ? !r->hasNoSignedWrap() : c.step < 0 || !r->hasNoUnsignedWrap();
    g.conditions.push_back(c);
    return true;
}

// Adds that the value is `wanted`; false: it is not known before the loop when that holds.
static bool add(struct ls_loops *l, const Loop *loop, Value *value, bool wanted, Guard &g, unsigned depth = 0)
{
    Value *a, *b;
    if (g.conditions.size() == mostConditions || depth > mostConditions)
        return false;
    if (!ls_in_loop(value, loop)) {
        Condition c;
        c.same = value;
        c.wanted = wanted;
        g.conditions.push_back(c);
        return true;
    }
    if (match(value, m_Not(m_Value(a))))
        return add(l, loop, a, !wanted, g, depth + 1);
    if (wanted ? match(value, m_LogicalAnd(m_Value(a), m_Value(b)))
               : match(value, m_LogicalOr(m_Value(a), m_Value(b))))
        return add(l, loop, a, wanted, g, depth + 1) && add(l, loop, b, wanted, g, depth + 1);
    auto *compare = dyn_cast<ICmpInst>(value);
    return compare && addCompare(l, loop, compare, wanted, g);
}

// From the block to one that each turn executes.
static bool findGuard(struct ls_loops *l, const Loop *loop, const BasicBlock *block, Guard &g)
{
    while (!l->dominators->dominates(block, loop->getLoopLatch())) {
        const BasicBlock *from = block->getSinglePredecessor();
        if (!from || l->loops->getLoopFor(from) != loop)
            return false;
        auto *branch = dyn_cast<BranchInst>(from->getTerminator());
        if (!branch || (branch->isConditional() &&
                        !add(l, loop, branch->getCondition(), branch->getSuccessor(0) == block, g)))
            return false;
        block = from;
    }
    return true;
}

Guard *ls_guard_of(struct ls_loops *l, const Loop *loop, const BasicBlock *block)
{
    auto made = l->guards.try_emplace(block);
    Guard &g = made.first->second;
    if (made.second)
        g.known = findGuard(l, loop, block, g);
    return g.known ? &g : nullptr;
}

// ---- in front of the loop ----

static Value *both(IRBuilder<> &b, Value *one, Value *other)
{
    return one ? b.CreateAnd(one, other) : other;
}

// Whether the number is somewhere beyond the end of its type on the last of all turns.
static Value *wraps(IRBuilder<> &b, const Condition &c, Value *start, Value *all)
{
    const unsigned bits = start->getType()->getIntegerBitWidth();
    const uint64_t step = (uint64_t)std::abs(c.step);
    const APInt most = c.isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits),
                least = c.isSigned ? APInt::getSignedMinValue(bits) : APInt::getMinValue(bits);
    Value *room = c.step > 0 ? b.CreateSub(b.getInt(most), start) : b.CreateSub(start, b.getInt(least));
    Value *way = b.CreateMul(all, b.getInt64(step)); // fits if there are less than 2^32 turns
    return b.CreateOr(b.CreateICmpUGT(all, b.getInt64(UINT32_MAX)),
                      b.CreateICmpUGT(way, b.CreateZExt(room, b.getInt64Ty())));
}

// Conditions are computed for lanes, too, that an outer one keeps from them: what they are there must not matter.
static Value *fixed(IRBuilder<> &b, struct ls_turns *t, Value *v)
{
    return b.CreateFreeze(ls_first(t, v));
}

static void tellCompare(IRBuilder<> &b, struct ls_turns *t, const Condition &c, Value *all, Value *&any)
{
    Guard &g = *t->guard;
    Value *start = fixed(b, t, c.number), *bound = fixed(b, t, c.bound);
    Value *low = c.step > 0 ? start : bound, *high = c.step > 0 ? bound : start;
    CmpInst::Predicate less = c.isSigned ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
    g.lanes =
        both(b, g.lanes, b.CreateICmp(c.reaches ? CmpInst::getNonStrictPredicate(less) : less, low, high));
    Value *way = b.CreateSub(high, low);
    if (!c.reaches)
        way = b.CreateSub(way, ConstantInt::get(way->getType(), 1));
    way = b.CreateUDiv(way, ConstantInt::get(way->getType(), (uint64_t)std::abs(c.step)));
    way = b.CreateZExt(way, b.getInt64Ty());
    g.more = b.CreateSelect(b.CreateICmpULT(way, g.more), way, g.more);
    if (!c.wraps)
        return;
    Value *one = wraps(b, c, start, all);
    any = any ? b.CreateOr(any, one) : one;
}

void ls_tell_guard(struct ls_turns *t)
{
    Guard &g = *t->guard;
    if (g.more)
        return;
    Value *all = g.more = ls_all_turns(t), *any = nullptr;
    IRBuilder<> b(ls_before_loop(t->loop));
    for (const Condition &c : g.conditions) {
        if (!c.same) {
            tellCompare(b, t, c, all, any);
            continue;
        }
        Value *same = fixed(b, t, c.same);
        g.lanes = both(b, g.lanes, c.wanted ? same : b.CreateNot(same));
    }
    if (!any)
        return;
    g.left = b.CreateIsNotNull(ls_ballot(b, any, t->all->wave32));
    g.lanes = b.CreateAnd(g.lanes, b.CreateNot(g.left));
}

bool ls_is_guarded(const struct ls_turns *t)
{
    return t->guard;
}

LLVMValueRef ls_guard_lanes(const struct ls_turns *t)
{
    return wrap(t->guard->lanes);
}

LLVMValueRef ls_guard_left(const struct ls_turns *t)
{
    return wrap(t->guard->left);
}
