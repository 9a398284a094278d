// ls_several.cpp - accesses of one basic block that one probe may tell at once, as their addresses seem to lie the same
// distances apart in all lanes, though nobody knows these when the program is compiled: the rows of a stencil, or a[i], b[i];
// or as each seems to have a stride of its own from lane to lane: a[x][y] and b[y][x].
//
// They may also stand in several blocks, of which lanes at the edges of a grid leave some out.
//
// What is found here of addresses and conditions need not be right: the clone looks at the lanes' conditions, the probe compares their
// addresses (device-lib/several.c). It has to be right mostly, as a probe that finds them elsewhere was in vain.
#include "ls_compiler.h"
#include "ls_shim.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace
{
constexpr unsigned maxDepth = 16, mostLooks = 64;

// An address as a sum of constants times products of at most two values, as if no sum would ever wrap. Constants are left out.
class Sum
{
  public:
    Sum(void *uniformity, const DataLayout &layout) : uniformity(uniformity), layout(layout)
    {
    }

    void add(const Value *v, uint64_t factor, const Value *times = nullptr, unsigned depth = 0)
    {
        auto *op = dyn_cast<Operator>(v);
        if (isa<ConstantInt>(v)) {
            if (times)
                terms[{times, nullptr}] += factor * low(v);
        } else if (!op || depth == maxDepth || !addOperands(op, factor, times, depth + 1))
            terms[{v, times}] += factor;
    }

    // Whether it is the same in all lanes.
    bool isUniform() const
    {
        for (auto &[product, factor] : terms)
            if (factor && !(isUniform(product.first) && isUniform(product.second)))
                return false;
        return true;
    }

    // Whether its lanes' values come from their places in the grid, not from what was read; and only by operations after
    // which neighbours mostly lie as far from each other as before.
    bool isPlace(bool even) const
    {
        SmallPtrSet<const Value *, 16> seen;
        for (auto &[product, factor] : terms)
            if (factor && !(isPlace(product.first, even, seen) && isPlace(product.second, even, seen)))
                return false;
        return true;
    }

  private:
    void *uniformity;
    const DataLayout &layout;
    SmallMapVector<std::pair<const Value *, const Value *>, uint64_t, 8> terms;

    static uint64_t low(const Value *constant)
    {
        return cast<ConstantInt>(constant)->getValue().sextOrTrunc(64).getZExtValue();
    }

    bool isUniform(const Value *v) const
    {
        return !v || isa<Constant>(v) || ls_is_uniform(uniformity, wrap(v));
    }

    bool isEven(const Instruction &i) const
    {
        switch (i.getOpcode()) {
        case Instruction::Add:
        case Instruction::Sub:
        case Instruction::Or:
        case Instruction::SExt:
        case Instruction::ZExt:
        case Instruction::Trunc:
        case Instruction::BitCast:
        case Instruction::AddrSpaceCast:
        case Instruction::Freeze:
        case Instruction::PHI:
        case Instruction::GetElementPtr:
            return true;
        case Instruction::Mul:
        case Instruction::And:
            return isUniform(i.getOperand(0)) || isUniform(i.getOperand(1));
        case Instruction::Shl:
        case Instruction::LShr:
        case Instruction::AShr:
            return isUniform(i.getOperand(1));
        default:
            return false;
        }
    }

    bool isPlace(const Value *v, bool even, SmallPtrSet<const Value *, 16> &seen) const
    {
        if (isUniform(v) || !seen.insert(v).second)
            return true;
        auto *i = dyn_cast<Instruction>(v);
        if (!i || seen.size() > mostLooks)
            return false;
        if (auto *call = dyn_cast<IntrinsicInst>(i)) {
            Intrinsic::ID id = call->getIntrinsicID();
            if (id == Intrinsic::amdgcn_workitem_id_x || id == Intrinsic::amdgcn_workitem_id_y ||
                id == Intrinsic::amdgcn_workitem_id_z)
                return true;
        }
        if (i->mayReadOrWriteMemory() || (even && !isEven(*i)))
            return false;
        for (const Value *operand : i->operands())
            if (!isPlace(operand, even, seen))
                return false;
        return true;
    }

    bool addOperands(const Operator *op, uint64_t factor, const Value *times, unsigned depth)
    {
        const Value *a = op->getOperand(0), *b = op->getNumOperands() > 1 ? op->getOperand(1) : nullptr;
        switch (op->getOpcode()) {
        case Instruction::SExt:
        case Instruction::ZExt:
        case Instruction::BitCast:
        case Instruction::AddrSpaceCast:
        case Instruction::Freeze:
            add(a, factor, times, depth);
            return true;
        case Instruction::Sub:
        case Instruction::Add:
            add(a, factor, times, depth);
            add(b, op->getOpcode() == Instruction::Sub ? 0 - factor : factor, times, depth);
            return true;
        case Instruction::Shl:
            if (!isa<ConstantInt>(b) || low(b) >= 64)
                return false;
            add(a, factor << low(b), times, depth);
            return true;
        case Instruction::Mul:
            return addProduct(a, b, factor, times, depth);
        case Instruction::GetElementPtr:
            return addOffset(cast<GEPOperator>(op), factor, times, depth);
        case Instruction::Call:
            return addInside(dyn_cast<MinMaxIntrinsic>(op), factor, times, depth);
        default:
            return false;
        }
    }

    // A clamped index as it is inside the bounds, where most wavefronts are.
    bool addInside(const MinMaxIntrinsic *clamped, uint64_t factor, const Value *times, unsigned depth)
    {
        if (!clamped)
            return false;
        const Value *index = clamped->getLHS(), *bound = clamped->getRHS();
        if (!isUniform(bound))
            std::swap(index, bound);
        if (!isUniform(bound))
            return false;
        add(index, factor, times, depth);
        return true;
    }

    bool addProduct(const Value *a, const Value *b, uint64_t factor, const Value *times, unsigned depth)
    {
        if (isa<ConstantInt>(b)) {
            add(a, factor * low(b), times, depth);
            return true;
        }
        if (!isUniform(b))
            std::swap(a, b);
        if (times || !isUniform(b))
            return false;
        add(a, factor, b, depth);
        return true;
    }

    bool addOffset(const GEPOperator *gep, uint64_t factor, const Value *times, unsigned depth)
    {
        unsigned width = layout.getIndexTypeSizeInBits(gep->getType());
#if LLVM_VERSION_MAJOR >= 20
        SmallMapVector<Value *, APInt, 4> indices;
#else
        MapVector<Value *, APInt> indices;
#endif
        APInt offset(width, 0);
        if (!gep->collectOffset(layout, width, indices, offset))
            return false;
        for (auto &[index, scale] : indices)
            add(index, factor * scale.sextOrTrunc(64).getZExtValue(), times, depth);
        add(gep->getPointerOperand(), factor, times, depth);
        return true;
    }
};

constexpr unsigned mostBlocks = 16, laneConstant = 64;

// Whether it stands behind `before`, on the way from there to `user`, whose block may be another one (ls_continues).
bool isBehind(const Instruction *i, const Instruction *before, const Instruction *user)
{
    const BasicBlock *block = before->getParent();
    if (i->getParent() == block)
        return !i->comesBefore(before);
    while (block != user->getParent() && (block = block->getNextNode()))
        if (block == i->getParent())
            return true;
    return false;
}

// Whether it is there in front of an instruction, or can be.
bool comesInTime(const Value *value, const Instruction *before, const Instruction *user, unsigned depth)
{
    auto *i = dyn_cast<Instruction>(value);
    if (!i || !isBehind(i, before, user))
        return true;
    if (i == before || depth == maxDepth || i->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(i))
        return false;
    for (const Value *operand : i->operands())
        if (!comesInTime(operand, before, user, depth + 1))
            return false;
    return true;
}

// The branch that decides about the next block alone, behind which all lanes go on together.
const BranchInst *branchOver(const BasicBlock *next)
{
    const BasicBlock *from = next->getSinglePredecessor(), *to = next->getSingleSuccessor();
    auto *branch = from ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
    if (!branch || !branch->isConditional() || !to || from->getNextNode() != next ||
        next->getNextNode() != to || !to->hasNPredecessors(2) || !is_contained(successors(from), to))
        return nullptr;
    return branch;
}

// Whether something that all lanes have the same of is in a sum: where a work-group begins, mostly.
bool hasOrigin(void *uniformity, const Value *v, unsigned depth)
{
    if (auto *cast = dyn_cast<CastInst>(v))
        return hasOrigin(uniformity, cast->getOperand(0), depth);
    auto *sum = dyn_cast<BinaryOperator>(v);
    if (!sum || depth == maxDepth ||
        (sum->getOpcode() != Instruction::Add && sum->getOpcode() != Instruction::Sub &&
         sum->getOpcode() != Instruction::Or))
        return false;
    for (const Value *operand : sum->operands())
        if (!isa<Constant>(operand) &&
            (ls_is_uniform(uniformity, wrap(operand)) || hasOrigin(uniformity, operand, depth + 1)))
            return true;
    return false;
}

// Whether a comparison of a lane's place in the grid mostly holds, as one with a picture's bounds does; not one with the lane's place in
// its work-group.
bool mostlyHolds(void *uniformity, const ICmpInst &compare, bool negated)
{
    const Value *place = compare.getOperand(0), *bound = compare.getOperand(1);
    ICmpInst::Predicate p = negated ? compare.getInversePredicate() : compare.getPredicate();
    if (isa<Constant>(place) || (!isa<Constant>(bound) && ls_is_uniform(uniformity, wrap(place)))) {
        std::swap(place, bound);
        p = ICmpInst::getSwappedPredicate(p);
    }
    if (!place->getType()->isIntegerTy() || !ls_is_uniform(uniformity, wrap(bound)) ||
        !hasOrigin(uniformity, place, 0))
        return false;
    auto *number = dyn_cast<ConstantInt>(bound);
    if (ICmpInst::isLT(p) || ICmpInst::isLE(p))
        return !number || number->getValue().sge(laneConstant);
    return number && (ICmpInst::isGT(p) || ICmpInst::isGE(p) || p == ICmpInst::ICMP_NE);
}

bool mostlyHolds(void *uniformity, const Value *condition, bool negated, unsigned depth)
{
    using namespace PatternMatch;
    const Value *a, *b;
    if (auto *compare = dyn_cast<ICmpInst>(condition))
        return mostlyHolds(uniformity, *compare, negated);
    if (depth == maxDepth)
        return false;
    if (match(condition, m_Not(m_Value(a))))
        return mostlyHolds(uniformity, a, !negated, depth + 1);
    if (negated ? match(condition, m_LogicalOr(m_Value(a), m_Value(b)))
                : match(condition, m_LogicalAnd(m_Value(a), m_Value(b))))
        return mostlyHolds(uniformity, a, negated, depth + 1) &&
               mostlyHolds(uniformity, b, negated, depth + 1);
    return false;
}
} // namespace

bool ls_continues(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    const BasicBlock *block = unwrap(from), *end = unwrap(to);
    for (unsigned n = 0; block != end; n++) {
        const BasicBlock *next = block->getNextNode();
        if (!next || n == mostBlocks)
            return false;
        if (!branchOver(next) && !(branchOver(block) && next == block->getSingleSuccessor()))
            return false;
        block = next;
    }
    return true;
}

LLVMValueRef ls_branch_over(LLVMBasicBlockRef block, LLVMValueRef *condition, bool *negated)
{
    const BranchInst *branch = branchOver(unwrap(block));
    if (!branch)
        return nullptr;
    *condition = wrap(branch->getCondition());
    *negated = branch->getSuccessor(0) != unwrap(block);
    return wrap(branch);
}

bool ls_mostly_holds(void *uniformity, LLVMValueRef condition, bool negated)
{
    return mostlyHolds(uniformity, unwrap(condition), negated, 0);
}

bool ls_seldom_whole(void *uniformity, LLVMBasicBlockRef inner)
{
    const BasicBlock *block = unwrap(inner);
    for (unsigned n = 0; n < maxDepth; n++) {
        const BasicBlock *from = block->getSinglePredecessor();
        auto *branch = from ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
        if (!branch)
            return false;
        if (branch->isConditional() && !ls_is_uniform(uniformity, wrap(branch->getCondition())) &&
            !mostlyHolds(uniformity, branch->getCondition(), branch->getSuccessor(0) != block, 0))
            return true;
        block = from;
    }
    return false;
}

bool ls_comes_in_time(LLVMValueRef value, LLVMValueRef before, LLVMValueRef user)
{
    return comesInTime(unwrap(value), unwrap<Instruction>(before), unwrap<Instruction>(user), 0);
}

enum ls_apart ls_lie_apart(void *uniformity, LLVMValueRef from, LLVMValueRef to, LLVMValueRef instruction)
{
    const DataLayout &layout = unwrap<Instruction>(instruction)->getModule()->getDataLayout();
    Sum first(uniformity, layout), second(uniformity, layout), difference(uniformity, layout);
    first.add(unwrap(from), 1);
    second.add(unwrap(to), 1);
    difference.add(unwrap(from), 1);
    difference.add(unwrap(to), (uint64_t)0 - 1);
    const bool place = first.isPlace(false);
    if (difference.isUniform())
        return place ? LS_APART_ALIKE : LS_APART_SCATTERED;
    if (!place)
        return LS_APART_UNKNOWN;
    return first.isPlace(true) && second.isPlace(true) ? LS_APART_EVENLY : LS_APART_UNKNOWN;
}

void ls_compute_before(LLVMValueRef value, LLVMValueRef before, LLVMValueRef user)
{
    auto *i = dyn_cast<Instruction>(unwrap(value));
    Instruction *at = unwrap<Instruction>(before);
    if (!i || !isBehind(i, at, unwrap<Instruction>(user)))
        return;
    for (Value *operand : i->operands())
        ls_compute_before(wrap(operand), before, user);
    i->moveBefore(*at->getParent(), at->getIterator());
}

LLVMValueRef ls_of_first_lane(LLVMValueRef before, LLVMValueRef value)
{
    IRBuilder<> b(unwrap<Instruction>(before));
#if LLVM_VERSION_MAJOR >= 19
    SmallVector<Type *, 1> types{unwrap(value)->getType()};
#else
    SmallVector<Type *, 1> types;
#endif
    return wrap(b.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane, types, {unwrap(value)}));
}

LLVMValueRef ls_unless_zero(LLVMValueRef number, LLVMValueRef before)
{
    IRBuilder<> b(unwrap<Instruction>(before));
    Value *any = b.CreateICmpNE(unwrap(number), ConstantInt::get(unwrap(number)->getType(), 0));
    return wrap(SplitBlockAndInsertIfThen(any, unwrap<Instruction>(before), false));
}

LLVMValueRef ls_if(LLVMValueRef condition, LLVMValueRef before)
{
    return wrap(SplitBlockAndInsertIfThen(unwrap(condition), unwrap<Instruction>(before), false));
}

Value *ls_ballot(IRBuilderBase &b, Value *condition, bool wave32)
{
    return b.CreateIntrinsic(Intrinsic::amdgcn_ballot, {wave32 ? b.getInt32Ty() : b.getInt64Ty()},
                             {condition});
}

LLVMValueRef ls_unless_any(LLVMValueRef condition, LLVMValueRef before, bool wave32)
{
    IRBuilder<> b(unwrap<Instruction>(before));
    Value *none = b.CreateIsNull(ls_ballot(b, unwrap(condition), wave32));
    return wrap(SplitBlockAndInsertIfThen(none, unwrap<Instruction>(before), false));
}

LLVMValueRef ls_or_one(LLVMValueRef number, LLVMValueRef behind)
{
    Instruction *i = unwrap<Instruction>(behind);
    auto *one = cast<Instruction>(unwrap(number));
    IRBuilder<> b(&i->getParent()->front());
    PHINode *both = b.CreatePHI(one->getType(), 2);
    for (BasicBlock *from : predecessors(i->getParent()))
        both->addIncoming(from == one->getParent() ? unwrap(number) : ConstantInt::get(one->getType(), 1),
                          from);
    return wrap(both);
}
