// ls_distance.cpp - how far two addresses of one basic block lie apart, whatever the lanes' values are.
//
// An address is taken apart into a constant and multiples of values: address = constant + sum of factor *
// value. Sign and zero extensions are distributed over sums that do not wrap (nsw, nuw): one that wraps is
// poison, and an access through it is undefined. Scalar evolution, which is asked too, gives up there,
// because it forgets these flags when it reorders sums; code generation (SeparateConstOffsetFromGEP) does
// not.
#include "ls_compiler.h"
#include "ls_shim.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

namespace
{
enum Extension { Full, Sign, Zero };
constexpr unsigned maxDepth = 12, maxAlternatives = 4;
constexpr unsigned localMemory = 3;

class Form
{
  public:
    // through: casts of address spaces, which keep an address what it is, but not its width.
    Form(const DataLayout &layout, Value *pointer, bool through = false)
        : layout(layout), through(through), width(layout.getIndexTypeSizeInBits(pointer->getType())),
          constant(width, 0)
    {
        addPointer(pointer);
    }

    // The variable in LDS that the address is in: its own address is not known before linking.
    const GlobalVariable *variable() const
    {
        const GlobalVariable *found = nullptr;
        for (auto &[key, factor] : terms)
            if (auto *g = dyn_cast<GlobalVariable>(key.first); g && g->getAddressSpace() == localMemory) {
                if (found || !factor.isOne())
                    return nullptr;
                found = g;
            }
        return found;
    }

    // Whether `to` is always at this address + *distance; apart from the distance of two variables in LDS.
    bool distance(const Form &to, int64_t *distance) const
    {
        const GlobalVariable *mine = variable(), *other = to.variable();
        if (width != to.width || !mine != !other || !within(to, mine) || !to.within(*this, other))
            return false;
        APInt d = to.constant - constant;
        if (!d.isSignedIntN(31))
            return false;
        *distance = d.getSExtValue();
        return true;
    }

    ls_address address() const
    {
        ls_address a{constant.getSExtValue(), {}};
        for (auto &[key, factor] : terms)
            if (!factor.isZero())
                a.terms.push_back({const_cast<Value *>(key.first), factor.getSExtValue()});
        return a;
    }

    std::vector<Form> alternatives() const
    {
        std::vector<Form> found;
        for (auto &[key, factor] : terms) {
            if (!isa<SelectInst, PHINode>(key.first))
                continue;
            auto *i = cast<Instruction>(key.first);
            const unsigned first = isa<SelectInst>(i);
            for (unsigned k = first; k < i->getNumOperands() && k < first + maxAlternatives; k++)
                if (i->getOperand(k) != i)
                    found.push_back(instead(key, factor, i->getOperand(k)));
            break;
        }
        return found;
    }

  private:
    using Key = std::pair<const Value *, unsigned>;
    const DataLayout &layout;
    bool through;
    unsigned width;
    APInt constant;
    SmallMapVector<Key, APInt, 4> terms;

    // Each term of ours is in `other`, but for `variable`.
    bool within(const Form &other, const Value *variable) const
    {
        for (auto &[key, factor] : terms) {
            auto found = other.terms.find(key);
            if (key.first != variable && !factor.isZero() &&
                (found == other.terms.end() || found->second != factor))
                return false;
        }
        return true;
    }

    Form instead(const Key &key, const APInt &factor, Value *v) const
    {
        Form f = *this;
        f.terms.erase(f.terms.find(key));
        if (v->getType()->isPointerTy())
            f.addPointer(v);
        else
            f.add(v, static_cast<Extension>(key.second), factor, 0);
        return f;
    }

    void addTerm(const Value *v, Extension e, const APInt &factor)
    {
        auto at = terms.insert({Key(v, e), APInt(width, 0)}).first;
        at->second += factor;
    }

    void addPointer(Value *v)
    {
        APInt one(width, 1);
        while (auto *op = dyn_cast<Operator>(v)) {
            if (op->getOpcode() == Instruction::BitCast ||
                (through && op->getOpcode() == Instruction::AddrSpaceCast)) {
                v = op->getOperand(0);
                continue;
            }
            if (Value *same = through && op->getOpcode() == Instruction::IntToPtr
                                  ? pointerOf(op->getOperand(0))
                                  : nullptr) {
                v = same; // a front end's way from an argument in global memory to a flat one
                continue;
            }
            auto *gep = dyn_cast<GEPOperator>(op);
            SmallMapVector<Value *, APInt, 4> variables;
            if (!gep || !collect(gep, variables))
                break;
            for (auto &[index, factor] : variables)
                add(index, Full, factor, 0);
            v = gep->getPointerOperand();
        }
        addTerm(v, Full, one);
    }

    static Value *pointerOf(Value *number)
    {
        auto *op = dyn_cast<Operator>(number);
        return op && op->getOpcode() == Instruction::PtrToInt ? op->getOperand(0) : nullptr;
    }

    // Behind a cast of address spaces a pointer has another width.
    bool collect(GEPOperator *gep, SmallMapVector<Value *, APInt, 4> &variables)
    {
        const unsigned own = layout.getIndexTypeSizeInBits(gep->getType());
        APInt offset(own, 0);
#if LLVM_VERSION_MAJOR >= 20
        SmallMapVector<Value *, APInt, 4> found;
#else
        MapVector<Value *, APInt> found;
#endif
        if (!gep->collectOffset(layout, own, found, offset))
            return false;
        for (auto &[index, factor] : found)
            variables.insert({index, factor.sextOrTrunc(width)});
        constant += offset.sextOrTrunc(width);
        return true;
    }

    void add(const Value *v, Extension e, const APInt &factor, unsigned depth)
    {
        // An index that is narrower than the address is sign-extended to it; of a wider one the low bits
        // count.
        bool narrow = v->getType()->getIntegerBitWidth() < width;
        e = !narrow ? Full : e == Full ? Sign : e;
        if (auto *c = dyn_cast<ConstantInt>(v))
            constant +=
                factor * (e == Zero ? c->getValue().zextOrTrunc(width) : c->getValue().sextOrTrunc(width));
        else if (depth == maxDepth || !addSum(v, e, factor, depth + 1))
            addTerm(v, e, factor);
    }

    bool addSum(const Value *v, Extension e, const APInt &factor, unsigned depth)
    {
        auto *op = dyn_cast<Operator>(v);
        if (!op)
            return false;
        switch (op->getOpcode()) {
        case Instruction::SExt:
            if (e == Zero)
                return false;
            add(op->getOperand(0), Sign, factor, depth);
            return true;
        case Instruction::ZExt:
            add(op->getOperand(0), Zero, factor, depth);
            return true;
        case Instruction::Or:
            if (!disjoint(op))
                return false;
            break;
        case Instruction::Add:
        case Instruction::Sub:
        case Instruction::Mul:
        case Instruction::Shl: {
            auto *o = cast<OverflowingBinaryOperator>(op);
            if ((e == Sign && !o->hasNoSignedWrap()) || (e == Zero && !o->hasNoUnsignedWrap()))
                return false;
            break;
        }
        default:
            return false;
        }
        return addOperands(op, e, factor, depth);
    }

    bool addOperands(const Operator *op, Extension e, const APInt &factor, unsigned depth)
    {
        auto *c = dyn_cast<ConstantInt>(op->getOperand(1));
        APInt times(width, 1);
        switch (op->getOpcode()) {
        case Instruction::Mul:
        case Instruction::Shl:
            if (!c ||
                (op->getOpcode() == Instruction::Shl && c->getValue().uge(std::min(width, c->getBitWidth()))))
                return false;
            if (op->getOpcode() == Instruction::Shl)
                times <<= (unsigned)c->getZExtValue();
            else
                times = e == Zero ? c->getValue().zextOrTrunc(width) : c->getValue().sextOrTrunc(width);
            add(op->getOperand(0), e, factor * times, depth);
            return true;
        default:
            add(op->getOperand(0), e, factor, depth);
            add(op->getOperand(1), e, op->getOpcode() == Instruction::Sub ? -factor : factor, depth);
            return true;
        }
    }

    bool disjoint(const Operator *op) const
    {
#if LLVM_VERSION_MAJOR >= 18
        if (auto *d = dyn_cast<PossiblyDisjointInst>(op); d && d->isDisjoint())
            return true;
#endif
        auto *c = dyn_cast<ConstantInt>(op->getOperand(1));
        return c && (c->getValue() & ~computeKnownBits(op->getOperand(0), layout).Zero).isZero();
    }
};
} // namespace

ls_address ls_take_apart(const DataLayout &layout, Value *pointer)
{
    return Form(layout, pointer, true).address();
}

SmallVector<ls_address, 4> ls_alternatives(const DataLayout &layout, Value *pointer)
{
    SmallVector<ls_address, 4> found;
    for (const Form &f : Form(layout, pointer, true).alternatives())
        found.push_back(f.address());
    return found;
}

static bool bySums(Value *from, Value *to, const Module &module, int64_t *distance)
{
    const DataLayout &layout = module.getDataLayout();
    return Form(layout, from).distance(Form(layout, to), distance);
}

static bool byScalarEvolution(ScalarEvolution &se, Value *from, Value *to, int64_t *distance)
{
    if (!se.isSCEVable(from->getType()))
        return false;
    auto *c = dyn_cast<SCEVConstant>(se.getMinusSCEV(se.getSCEV(to), se.getSCEV(from)));
    if (!c || !c->getAPInt().isSignedIntN(31))
        return false;
    *distance = c->getAPInt().getSExtValue();
    return true;
}

bool ls_constant_distance(void *manager, LLVMValueRef from, LLVMValueRef to, LLVMValueRef function,
                          int64_t *distance)
{
    Function *f = unwrap<Function>(function);
    Value *a = unwrap(from), *b = unwrap(to);
    Module &module = *f->getParent();
    if (a->getType() != b->getType())
        return false;
    auto &functions = ls_function_analyses(manager, module);
    return bySums(a, b, module, distance) ||
           byScalarEvolution(functions.getResult<ScalarEvolutionAnalysis>(*f), a, b, distance);
}

LLVMValueRef ls_variable_of(LLVMValueRef pointer, LLVMValueRef function)
{
    const Module &module = *unwrap<Function>(function)->getParent();
    return wrap(Form(module.getDataLayout(), unwrap(pointer)).variable());
}
