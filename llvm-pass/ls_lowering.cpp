// ls_lowering.cpp - steps of code generation that change which memory instructions there are (ls_shim.h),
// done on a clone before it gets probes, by LLVM's own passes: so its accesses are those of the original's
// machine code. Code generation finds nothing left to do of them in the clone. Their order there is
// (AMDGPUPassConfig::addIRPasses): AMDGPUAtomicOptimizer, AtomicExpand, AMDGPUPromoteAlloca,
// SeparateConstOffsetFromGEP and StraightLineStrengthReduce (from -O2 on), GVN (at -O3),
// ScalarizeMaskedMemIntrin with GVN (at -O3) or EarlyCSE behind it, and, from -O2 on, LoadStoreVectorizer.
#include "ls_compiler.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#if LLVM_VERSION_MAJOR < 19
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#endif

using namespace llvm;

namespace
{
constexpr unsigned localMemory = 3;
constexpr char arrayKind[] = "lanescope.array", ownKind[] = "lanescope.own", oneLaneKind[] = "lanescope.one",
               ownPacket[] = "; the packet, for an array's part";

// Passes skip functions with this attribute, but those that are needed to generate code at all.
class WithoutOptNone
{
  public:
    explicit WithoutOptNone(Function &function)
        : f(function), had(function.hasFnAttribute(Attribute::OptimizeNone))
    {
        if (had)
            f.removeFnAttr(Attribute::OptimizeNone);
    }
    ~WithoutOptNone()
    {
        if (had)
            f.addFnAttr(Attribute::OptimizeNone);
    }
    WithoutOptNone(const WithoutOptNone &) = delete;
    WithoutOptNone &operator=(const WithoutOptNone &) = delete;

  private:
    Function &f;
    bool had;
};
} // namespace

unsigned ls_code_level(const struct ls_compiler *compiler, LLVMValueRef function)
{
    return unwrap<Function>(function)->hasFnAttribute(Attribute::OptimizeNone) ? 0 : compiler->level;
}

// ---- atomics ----

#if LLVM_VERSION_MAJOR >= 19
static bool expand(void *manager, const ls_compiler &compiler, Function &f)
{
    return ls_run_pipeline(manager, &compiler, wrap(&f), "atomic-expand");
}
#else
// There the pass exists for the old pass manager only, and wants a target machine.
static bool expand(void *manager, const ls_compiler &, Function &f)
{
    Module &m = *f.getParent();
    std::string why;
    const Target *target = TargetRegistry::lookupTarget(m.getTargetTriple(), why);
    std::unique_ptr<TargetMachine> machine(
        target ? target->createTargetMachine(
                     m.getTargetTriple(), f.getFnAttribute("target-cpu").getValueAsString(),
                     f.getFnAttribute("target-features").getValueAsString(), TargetOptions(), {})
               : nullptr);
    if (!machine) {
        ls_complain("no target machine: %s", why.c_str());
        return false;
    }
    legacy::FunctionPassManager passes(&m);
    passes.add(static_cast<LLVMTargetMachine &>(*machine).createPassConfig(passes));
    passes.add(createAtomicExpandPass());
    passes.doInitialization();
    passes.run(f);
    passes.doFinalization();
    ls_function_analyses(manager, m).invalidate(f, PreservedAnalyses::none());
    return true;
}
#endif

static bool isExpandable(const Instruction &i)
{
    return i.isAtomic() && !isa<FenceInst>(i);
}

static bool hasAtomics(Function &f)
{
    for (Instruction &i : instructions(f))
        if (isExpandable(i))
            return true;
    return false;
}

// What AMDGPUAtomicOptimizer may let one lane do: read-modify-writes, and buffer intrinsics.
static bool isSharable(const Instruction &i)
{
    return isa<AtomicRMWInst>(i) || (isa<IntrinsicInst>(i) && i.mayReadFromMemory() && i.mayWriteToMemory());
}

// AMDGPUAtomicOptimizer lets one lane do an atomic of which all lanes have one address, in a branch of its own: of
// loads behind it other lanes may keep a value that they have. It replaces such an atomic by a copy, which gets a mark.
static bool giveToOneLane(void *manager, const ls_compiler &compiler, Function &f)
{
    SmallVector<WeakVH, 8> before;
    for (Instruction &i : instructions(f))
        if (isSharable(i))
            before.emplace_back(&i);
    if (before.empty())
        return true;
    if (!ls_run_pipeline(manager, &compiler, wrap(&f), "amdgpu-atomic-optimizer"))
        return false;
    SmallPtrSet<const Value *, 8> left;
    for (const WeakVH &v : before)
        left.insert(v);
    for (Instruction &i : instructions(f))
        if (isSharable(i) && !left.count(&i))
            i.setMetadata(oneLaneKind, MDNode::get(f.getContext(), {}));
    return true;
}

bool ls_expand_atomics(void *manager, const struct ls_compiler *compiler, LLVMValueRef clone)
{
    Function *f = unwrap<Function>(clone);
    // LLVM 15 has the pass, but does not use it.
    if (LLVM_VERSION_MAJOR >= 17 && ls_code_level(compiler, clone) && !giveToOneLane(manager, *compiler, *f))
        return false;
    if (!hasAtomics(*f))
        return true;
    WithoutOptNone guard(*f);
    return expand(manager, *compiler, *f);
}

// ---- masked accesses ----

bool ls_is_masked(LLVMValueRef instruction)
{
    auto *call = dyn_cast<IntrinsicInst>(unwrap(instruction));
    switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_store:
    case Intrinsic::masked_gather:
    case Intrinsic::masked_scatter:
    case Intrinsic::masked_expandload:
    case Intrinsic::masked_compressstore:
        return true;
    default:
        return false;
    }
}

bool ls_expand_masked(void *manager, const struct ls_compiler *compiler, LLVMValueRef clone)
{
    for (Instruction &i : instructions(*unwrap<Function>(clone)))
        if (ls_is_masked(wrap(&i)))
            return ls_run_pipeline(manager, compiler, clone,
                                   ls_code_level(compiler, clone) == 3 ? "scalarize-masked-mem-intrin,gvn"
                                   : ls_code_level(compiler, clone) ? "scalarize-masked-mem-intrin,early-cse"
                                                                    : "scalarize-masked-mem-intrin");
    return true;
}

// ---- loads on some ways only ----

// Loads that were left to the one lane that does an atomic for all: nobody switched the others off.
static void markBesideAtomics(Function &f)
{
    for (BasicBlock &b : f) {
        bool one = false;
        for (Instruction &i : b)
            one |= i.hasMetadata(oneLaneKind);
        for (Instruction &i : b)
            if (one && isa<LoadInst>(i))
                i.setMetadata(oneLaneKind, MDNode::get(f.getContext(), {}));
    }
}

// First addresses are brought together with others that lie a constant further on: StraightLineStrengthReduce of
// LLVM 22 takes an index of 32 bits for one that does not wrap, and the original reads where that leads.
// Below -O3 EarlyCSE runs there instead of GVN, which keeps values along dominators only: no load leaves a way for another.
bool ls_remove_partial_loads(void *manager, const struct ls_compiler *compiler, LLVMValueRef clone)
{
    const unsigned level = ls_code_level(compiler, clone);
    bool done = level < 2 || ls_run_pipeline(manager, compiler, clone,
                                             level < 3 ? "separate-const-offset-from-gep,slsr"
                                                       : "separate-const-offset-from-gep,slsr,gvn");
    markBesideAtomics(*unwrap<Function>(clone));
    return done;
}

// ---- private arrays ----

static bool hasArrays(Function &f)
{
    for (Instruction &i : f.getEntryBlock())
        if (isa<AllocaInst>(i))
            return true;
    return false;
}

static bool usedByFunctions(const Value &v)
{
    for (const User *u : v.users()) {
        auto *i = dyn_cast<Instruction>(u);
        if (i ? i->getFunction()->getCallingConv() != CallingConv::AMDGPU_KERNEL : usedByFunctions(*u))
            return true;
    }
    return false;
}

// LDS that functions use was laid out for the kernels that call them when the pass decides on the original:
// it finds less room then, or gives up. It would not see that in the clone.
static bool getsLdsOfFunctions(Function &f)
{
    bool calls = false;
    for (Instruction &i : instructions(f))
        if (auto *call = dyn_cast<CallBase>(&i); call && !isa<IntrinsicInst>(call) && !call->isInlineAsm())
            calls = true;
    if (!calls)
        return false;
    for (GlobalVariable &g : f.getParent()->globals())
        if (g.getAddressSpace() == localMemory && usedByFunctions(g))
            return true;
    return false;
}

// A lane finds its part of an array by the size of the work-group, which it loads from the packet of the dispatch. So may the
// program itself, and then passes make one pointer, and one load, of both. To stay apart from the program's, the pass's own
// pointers go through assembly until the accesses are placed: metadata would get lost where passes make one of two.
static bool isOwnPacket(const Value *v)
{
    auto *call = dyn_cast_or_null<CallBase>(v);
    auto *text = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    return text && text->getAsmString() == ownPacket;
}

static void hideOwnPackets(Function &f)
{
    SmallVector<IntrinsicInst *, 4> own;
    for (Instruction &i : instructions(f))
        if (auto *call = dyn_cast<IntrinsicInst>(&i);
            call && !call->hasMetadata("lanescope.seen") &&
            call->getCalledFunction()->getName() == "llvm.amdgcn.dispatch.ptr")
            own.push_back(call);
    for (IntrinsicInst *packet : own) {
        auto *type = FunctionType::get(packet->getType(), {packet->getType()}, false);
        IRBuilder<> b(packet->getNextNode());
        CallInst *hidden = b.CreateCall(InlineAsm::get(type, ownPacket, "=s,0", false), {packet});
        hidden->setDoesNotAccessMemory();
        hidden->setDoesNotThrow();
        hidden->addFnAttr(Attribute::WillReturn);
        packet->replaceUsesWithIf(hidden, [hidden](Use &u) { return u.getUser() != hidden; });
    }
}

void ls_find_own_loads(LLVMValueRef clone)
{
    Function &f = *unwrap<Function>(clone);
    SmallVector<Instruction *, 4> hidden;
    for (Instruction &i : instructions(f)) {
        auto *load = dyn_cast<LoadInst>(&i);
        if (load && isOwnPacket(getUnderlyingObject(load->getPointerOperand())))
            load->setMetadata(ownKind, MDNode::get(f.getContext(), {}));
        if (isOwnPacket(&i))
            hidden.push_back(&i);
    }
    for (Instruction *i : hidden) {
        i->replaceAllUsesWith(i->getOperand(0));
        i->eraseFromParent();
    }
}

bool ls_is_own_load(LLVMValueRef instruction)
{
    auto *load = dyn_cast<LoadInst>(unwrap(instruction));
    return load && load->hasMetadata(ownKind);
}

bool ls_promote_arrays(void *manager, const struct ls_compiler *compiler, LLVMValueRef clone)
{
    Function *f = unwrap<Function>(clone);
    if (!ls_code_level(compiler, clone) || !hasArrays(*f) || getsLdsOfFunctions(*f))
        return true;
    Module &m = *f->getParent();
    size_t before = m.global_size(), n = 0;
    if (!ls_run_pipeline(manager, compiler, clone,
                         LLVM_VERSION_MAJOR < 19 ? "amdgpu-promote-alloca,sroa" : "amdgpu-promote-alloca"))
        return false;
    for (GlobalVariable &g : m.globals()) // the pass puts its variables behind the others
        if (n++ >= before && g.getAddressSpace() == localMemory)
            g.setMetadata(arrayKind, MDNode::get(m.getContext(), {}));
    hideOwnPackets(*f);
    return true;
}

// In the original the pass runs when AMDGPULowerModuleLDS has laid out the other variables, and instruction
// selection puts the new ones behind them. The former leaves constants alone, so ours are made constants;
// that nobody concludes anything from it, their addresses go through assembly that is not looked into.
void ls_place_arrays(LLVMValueRef clone)
{
    Function *f = unwrap<Function>(clone);
    for (GlobalVariable &g : f->getParent()->globals()) {
        if (!g.hasMetadata(arrayKind))
            continue;
        SmallVector<Use *, 4> uses;
        bool ours = !g.use_empty();
        for (Use &u : g.uses()) {
            auto *i = dyn_cast<Instruction>(u.getUser());
            ours &= i && i->getFunction() == f && !isa<PHINode>(i);
            uses.push_back(&u);
        }
        if (!ours)
            continue;
        auto *hide = InlineAsm::get(FunctionType::get(g.getType(), {g.getType()}, false), "", "=s,0", false);
        for (Use *u : uses) {
            IRBuilder<> b(cast<Instruction>(u->getUser()));
            u->set(b.CreateCall(hide, {&g}));
        }
        g.setMetadata(arrayKind, nullptr);
        g.setUnnamedAddr(GlobalValue::UnnamedAddr::None);
        g.setConstant(true);
    }
}
