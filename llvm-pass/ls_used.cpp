// ls_used.cpp - which bytes of a loaded value are used. Code generation loads no more than these, where that
// is cheaper (DAGCombiner's ReduceLoadWidth, legalisation of wide vectors); the host has to know what may be
// left out (docs/internals/join.md).
#include "ls_shim.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace
{
constexpr unsigned maxDepth = 6, maxUsers = 64, maxBytes = 64;
}

static uint64_t lowBytes(uint64_t n)
{
    return n >= maxBytes ? ~0ull : (1ull << n) - 1;
}

static uint64_t sizeOf(const Value *v, const DataLayout &layout)
{
    return layout.getTypeStoreSize(v->getType()).getFixedValue();
}

static uint64_t usedBytes(const Value *v, const DataLayout &layout, unsigned depth);

// Bytes of an element, 0 if elements are not whole bytes.
static uint64_t elementBytes(const Value *vector, const DataLayout &layout)
{
    auto *type = dyn_cast<FixedVectorType>(vector->getType());
    uint64_t bits = type ? layout.getTypeSizeInBits(type->getElementType()).getFixedValue() : 0;
    return bits % 8 ? 0 : bits / 8;
}

static uint64_t usedByShuffle(const ShuffleVectorInst *s, const Value *v, const DataLayout &layout,
                              unsigned depth)
{
    uint64_t element = elementBytes(s, layout), after = usedBytes(s, layout, depth), used = 0;
    int n = static_cast<int>(cast<FixedVectorType>(v->getType())->getNumElements());
    ArrayRef<int> mask = s->getShuffleMask();
    for (unsigned k = 0; k < mask.size(); k++)
        for (int operand = 0; operand < 2; operand++) {
            int from = mask[k] - operand * n;
            if (s->getOperand(operand) == v && from >= 0 && from < n && (from + 1) * element <= maxBytes)
                used |= (after >> k * element & lowBytes(element)) << from * element;
        }
    return used;
}

// Bytes of v that one of its users looks at.
static uint64_t usedBy(const Instruction *user, const Value *v, const DataLayout &layout, unsigned depth)
{
    uint64_t all = lowBytes(sizeOf(v, layout)), element = elementBytes(v, layout);
    auto *amount = user->getNumOperands() > 1 ? dyn_cast<ConstantInt>(user->getOperand(1)) : nullptr;
    switch (user->getOpcode()) {
    case Instruction::ExtractElement:
        if (!element || !amount || (amount->getZExtValue() + 1) * element > maxBytes)
            return all;
        return (usedBytes(user, layout, depth) & lowBytes(element)) << amount->getZExtValue() * element;
    case Instruction::ShuffleVector:
        return element && sizeOf(user, layout) <= maxBytes
                   ? usedByShuffle(cast<ShuffleVectorInst>(user), v, layout, depth)
                   : all;
    case Instruction::PHI:
    case Instruction::Freeze:
    case Instruction::BitCast:
    case Instruction::Trunc:
        return v->getType()->isVectorTy() && user->getOpcode() == Instruction::Trunc
                   ? all
                   : usedBytes(user, layout, depth) & all;
    case Instruction::ZExt:
        return v->getType()->isVectorTy() ? all : usedBytes(user, layout, depth) & all;
    case Instruction::LShr:
        if (!amount || amount->getValue().uge(v->getType()->getIntegerBitWidth()) ||
            amount->getZExtValue() % 8)
            return all;
        return usedBytes(user, layout, depth) << amount->getZExtValue() / 8 & all;
    case Instruction::And: {
        uint64_t used = 0;
        for (unsigned k = 0; amount && k < sizeOf(v, layout) && (k + 1) * 8 <= amount->getBitWidth(); k++)
            used |= (uint64_t)(amount->getValue().extractBits(8, k * 8) != 0) << k;
        return amount && amount->getBitWidth() % 8 == 0 ? used & usedBytes(user, layout, depth) : all;
    }
    default:
        return all;
    }
}

static uint64_t usedBytes(const Value *v, const DataLayout &layout, unsigned depth)
{
    uint64_t all = lowBytes(sizeOf(v, layout)), used = 0;
    if (depth == maxDepth || v->hasNUsesOrMore(maxUsers) || sizeOf(v, layout) > maxBytes)
        return all;
    for (const User *u : v->users()) {
        auto *i = dyn_cast<Instruction>(u);
        used |= i ? usedBy(i, v, layout, depth + 1) : all;
    }
    return used;
}

uint64_t ls_used_bytes(LLVMValueRef instruction)
{
    auto *load = dyn_cast<LoadInst>(unwrap(instruction));
    if (!load || !load->isSimple() || isa<ScalableVectorType>(load->getType()))
        return ~0ull;
    return usedBytes(load, load->getModule()->getDataLayout(), 0);
}
