// ls_used.cpp - which bytes of a loaded value are used. Code generation loads no more than these, where that
// is cheaper (DAGCombiner's ReduceLoadWidth, legalisation of wide vectors); the host has to know what may be
// left out (docs/internals/join.md).
#include "ls_shim.h"

#include "llvm/ADT/APInt.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace
{
constexpr unsigned maxDepth = 6, maxUsers = 64, maxBytes = 64;
}

static unsigned bitsOf(const Value *v, const DataLayout &layout)
{
    return static_cast<unsigned>(layout.getTypeSizeInBits(v->getType()).getFixedValue());
}

static APInt usedBits(const Value *v, const DataLayout &layout, unsigned depth);

// Bits of an element, 0 if elements are not whole bytes.
static unsigned elementBits(const Value *vector, const DataLayout &layout)
{
    auto *type = dyn_cast<FixedVectorType>(vector->getType());
    uint64_t bits = type ? layout.getTypeSizeInBits(type->getElementType()).getFixedValue() : 0;
    return bits % 8 ? 0 : static_cast<unsigned>(bits);
}

static APInt usedByShuffle(const ShuffleVectorInst *s, const Value *v, const DataLayout &layout,
                           unsigned depth)
{
    unsigned element = elementBits(s, layout);
    APInt after = usedBits(s, layout, depth), used(bitsOf(v, layout), 0);
    int n = static_cast<int>(cast<FixedVectorType>(v->getType())->getNumElements());
    ArrayRef<int> mask = s->getShuffleMask();
    for (unsigned k = 0; k < mask.size(); k++)
        for (int operand = 0; operand < 2; operand++) {
            int from = mask[k] - operand * n;
            if (s->getOperand(operand) == v && from >= 0 && from < n)
                used |= after.extractBits(element, k * element).zext(used.getBitWidth()) << from * element;
        }
    return used;
}

// Bits of a vector that one of its users looks at.
static APInt usedOfVector(const Instruction *user, const Value *v, const DataLayout &layout, unsigned depth)
{
    APInt all = APInt::getAllOnes(bitsOf(v, layout));
    unsigned element = elementBits(v, layout);
    auto *index = isa<ExtractElementInst>(user) ? dyn_cast<ConstantInt>(user->getOperand(1)) : nullptr;
    if (index && element && index->getValue().ult(all.getBitWidth() / element))
        return usedBits(user, layout, depth).zext(all.getBitWidth()) << index->getZExtValue() * element;
    if (isa<ShuffleVectorInst>(user) && element && bitsOf(user, layout) <= 8 * maxBytes)
        return usedByShuffle(cast<ShuffleVectorInst>(user), v, layout, depth);
    return all;
}

// Of the bits of an integer, those that its shift by a constant number of bits brings to used ones.
static APInt usedByShift(const Instruction *user, const APInt &used, unsigned bits)
{
    if (user->getOpcode() == Instruction::Shl)
        return used.lshr(bits);
    APInt before = used.shl(bits);
    if (user->getOpcode() == Instruction::AShr && !used.getHiBits(bits).isZero())
        before.setSignBit();
    return before;
}

// Bits of an integer that one of its users looks at, of whose result these are used.
static APInt usedOfInteger(const Instruction *user, const Value *v, const APInt &after)
{
    unsigned bits = v->getType()->getIntegerBitWidth();
    auto *constant = user->getNumOperands() > 1 ? dyn_cast<ConstantInt>(user->getOperand(1)) : nullptr;
    switch (user->getOpcode()) {
    case Instruction::Trunc:
        return after.zext(bits);
    case Instruction::ZExt:
        return after.trunc(bits);
    case Instruction::SExt:
        return after.getActiveBits() > bits ? after.trunc(bits) | APInt::getSignMask(bits)
                                            : after.trunc(bits);
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
        if (constant && constant->getValue().ult(bits))
            return usedByShift(user, after, static_cast<unsigned>(constant->getZExtValue()));
        break;
    case Instruction::And:
        return constant ? after & constant->getValue() : after;
    case Instruction::Or:
        return constant ? after & ~constant->getValue() : after;
    case Instruction::Xor:
        return after;
    case Instruction::Select:
        return user->getOperand(0) == v ? APInt::getAllOnes(bits) : after;
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
        return APInt::getLowBitsSet(bits, after.getActiveBits());
    default:
        break;
    }
    return APInt::getAllOnes(bits);
}

static APInt usedBy(const Instruction *user, const Value *v, const DataLayout &layout, unsigned depth)
{
    if (isa<PHINode>(user) || isa<FreezeInst>(user) || isa<BitCastInst>(user))
        return usedBits(user, layout, depth);
    if (v->getType()->isVectorTy())
        return usedOfVector(user, v, layout, depth);
    if (v->getType()->isIntegerTy() && user->getType()->isIntegerTy())
        return usedOfInteger(user, v, usedBits(user, layout, depth));
    return APInt::getAllOnes(bitsOf(v, layout));
}

static APInt usedBits(const Value *v, const DataLayout &layout, unsigned depth)
{
    unsigned bits = bitsOf(v, layout);
    APInt used(bits, 0);
    if (depth == maxDepth || v->hasNUsesOrMore(maxUsers) || bits > 8 * maxBytes)
        return APInt::getAllOnes(bits);
    for (const User *u : v->users()) {
        if (used.isAllOnes())
            break;
        auto *i = dyn_cast<Instruction>(u);
        used |= i ? usedBy(i, v, layout, depth + 1) : APInt::getAllOnes(bits);
    }
    return used;
}

uint64_t ls_used_bytes(LLVMValueRef instruction)
{
    auto *load = dyn_cast<LoadInst>(unwrap(instruction));
    if (!load || !load->isSimple() || isa<ScalableVectorType>(load->getType()))
        return ~0ull;
    APInt bits = usedBits(load, load->getModule()->getDataLayout(), 0);
    uint64_t bytes = 0;
    for (unsigned k = 0; k * 8 < bits.getBitWidth() && k < maxBytes; k++)
        if (!bits.extractBits(std::min(8u, bits.getBitWidth() - k * 8), k * 8).isZero())
            bytes |= 1ull << k;
    return bits.getBitWidth() > 8 * maxBytes ? ~0ull : bytes;
}
