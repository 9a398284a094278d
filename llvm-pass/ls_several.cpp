// ls_several.cpp - accesses of one basic block that one probe may tell at once, as their addresses seem to lie the same
// distances apart in all lanes, though nobody knows these when the program is compiled: the rows of a stencil, or a[i], b[i];
// or as each seems to have a stride of its own from lane to lane: a[x][y] and b[y][x].
//
// What is found here need not be right: the probe compares the lanes' addresses (device-lib/several.c). It has to be
// right mostly, as a probe that finds them elsewhere was in vain.
#include "ls_compiler.h"
#include "ls_shim.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
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

// Whether it is there in front of an instruction of its block, or can be.
bool comesInTime(const Value *value, const Instruction *before, unsigned depth)
{
    auto *i = dyn_cast<Instruction>(value);
    if (!i || i->getParent() != before->getParent() || i->comesBefore(before))
        return true;
    if (i == before || depth == maxDepth || i->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(i))
        return false;
    for (const Value *operand : i->operands())
        if (!comesInTime(operand, before, depth + 1))
            return false;
    return true;
}
} // namespace

enum ls_apart ls_lie_apart(void *uniformity, LLVMValueRef from, LLVMValueRef to, LLVMValueRef before)
{
    const Instruction *i = unwrap<Instruction>(before);
    const DataLayout &layout = i->getModule()->getDataLayout();
    Sum first(uniformity, layout), second(uniformity, layout), difference(uniformity, layout);
    first.add(unwrap(from), 1);
    second.add(unwrap(to), 1);
    difference.add(unwrap(from), 1);
    difference.add(unwrap(to), (uint64_t)0 - 1);
    const bool place = first.isPlace(false);
    if (!comesInTime(unwrap(to), i, 0))
        return LS_APART_UNKNOWN;
    if (difference.isUniform())
        return place ? LS_APART_ALIKE : LS_APART_SCATTERED;
    if (!place)
        return LS_APART_UNKNOWN;
    return first.isPlace(true) && second.isPlace(true) ? LS_APART_EVENLY : LS_APART_UNKNOWN;
}

void ls_compute_before(LLVMValueRef value, LLVMValueRef before)
{
    auto *i = dyn_cast<Instruction>(unwrap(value));
    Instruction *at = unwrap<Instruction>(before);
    if (!i || i->getParent() != at->getParent() || i->comesBefore(at))
        return;
    for (Value *operand : i->operands())
        ls_compute_before(wrap(operand), before);
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

LLVMValueRef ls_if_any(LLVMValueRef number, LLVMValueRef before)
{
    Value *uniform = unwrap(ls_of_first_lane(before, number));
    IRBuilder<> b(unwrap<Instruction>(before));
    Value *any = b.CreateICmpNE(uniform, ConstantInt::get(uniform->getType(), 0));
    return wrap(SplitBlockAndInsertIfThen(any, unwrap<Instruction>(before), false));
}

LLVMValueRef ls_if(LLVMValueRef condition, LLVMValueRef before)
{
    return wrap(SplitBlockAndInsertIfThen(unwrap(condition), unwrap<Instruction>(before), false));
}
