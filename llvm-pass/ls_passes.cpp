// ls_passes.cpp - what keeps passes of code generation off the clones that take long over them.
#include "lanescope/sites.h"
#include "ls_compiler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace
{
// What is left out of clones, without which they execute as many instructions, by the names that the versions give them:
constexpr StringLiteral costly[] = {
    // works out anew, in each function and for each function that it calls, which units of which registers the call keeps: of ten
    // thousand registers, and is there twice; that was half of what a clone took
    "machine-cp",
    "Machine Copy Propagation Pass",
    // puts instructions into another order, for calls of probes that have none to choose from
    "postmisched",
    "PostRA Machine Instruction Scheduler",
};

// And what besides, where there are many of them: they execute some instructions more.
constexpr StringLiteral costlyForMany[] = {
    "machine-scheduler",
    "Machine Instruction Scheduler",
    "slsr",
    "Straight line strength reduction",
    "nary-reassociate",
    "Nary reassociation",
    "gvn",
    "Global Value Numbering",
    "early-cse",
    "Early CSE",
    "machine-cse",
    "Machine Common Subexpression Elimination",
    "amdgpu-promote-alloca", // looks at all variables in LDS; the clones' private arrays are where they belong already
    "AMDGPU Promote Alloca",
    "peephole-opt",
    "Peephole Optimizations",
    "si-form-memory-clauses",
    "SI Form memory clauses",
    "si-shrink-instructions",
    "SI Shrink Instructions",
    "dead-mi-elimination",
    "Remove dead machine instructions",
};

#if LLVM_VERSION_MAJOR >= 16
#define NAME_OF(pass) pass
using PassName = StringRef;
#else
#define NAME_OF(pass) pass->getPassName()
using PassName = const Pass *;
#endif

bool isClone(StringRef name)
{
    return name.take_front(strlen(LS_CLONE_PREFIX)) == LS_CLONE_PREFIX ||
           name.take_front(strlen(LS_FUNCTION_PREFIX)) == LS_FUNCTION_PREFIX;
}

// Code generation asks before each pass that it can do without.
class Gate : public OptPassGate
{
    const bool many;

  public:
    explicit Gate(bool many) : many(many)
    {
    }

  private:
#if LLVM_VERSION_MAJOR >= 22
    bool shouldRunPass(PassName pass, StringRef unit) const override
#else
    bool shouldRunPass(PassName pass, StringRef unit) override
#endif
    {
        return !isClone(unit.substr(unit.find('(') + 1)) || // "function (NAME)"
               !(is_contained(costly, NAME_OF(pass)) || (many && is_contained(costlyForMany, NAME_OF(pass))));
    }
    bool isEnabled() const override
    {
        return true;
    }
};
} // namespace

static void keepPassesOff(Module &m, bool many)
{
    static Gate usual(false), forMany(true); // contexts refer to them as long as they live
    LLVMContext &context = m.getContext();
    if (!context.getOptPassGate().isEnabled()) // else somebody is looking for a pass that does harm
        context.setOptPassGate(many ? forMany : usual);
}

#if LLVM_VERSION_MAJOR < 18
static void callByAlias(Function &probe)
{
    SmallVector<CallBase *, 16> calls;
    for (User *user : probe.users())
        if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledOperand() == &probe)
            calls.push_back(call);
    if (calls.empty())
        return;
    auto *alias = GlobalAlias::create(GlobalValue::InternalLinkage, "__ls_a_" + probe.getName(), &probe);
    for (CallBase *call : calls)
        call->setCalledOperand(alias);
}

// AMDGPUPropagateAttributesEarly looks, for each kernel, at all calls of each function of the module: with 1,500 kernels 54 million
// times, a third of their time, while all that is called there has the attributes of its callers. It does not look behind aliases.
// AMDGPUAlwaysInline, which comes soon after it, puts the functions back in their places.
static void callProbesByAliases(Module &m)
{
    for (Function &f : m)
        if (f.getName().startswith("__ls_") && f.hasLocalLinkage() && !f.isDeclaration())
            callByAlias(f);
}
#endif

void ls_spare_clones(LLVMModuleRef module, bool many)
{
    keepPassesOff(*unwrap(module), many);
#if LLVM_VERSION_MAJOR < 18
    if (many)
        callProbesByAliases(*unwrap(module));
#endif
}
