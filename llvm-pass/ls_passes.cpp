// ls_passes.cpp - which passes of code generation leave the clones alone.
#include "lanescope/sites.h"
#include "ls_compiler.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/OptBisect.h"

using namespace llvm;

#if LLVM_VERSION_MAJOR >= 22
namespace
{
// LLVM 22's works out anew, in each function and for each function that it calls, which units of which registers the
// call keeps: of ten thousand registers, twice. That was half of what a clone took, and it finds next to nothing there.
constexpr StringLiteral costly = "machine-cp";

// Code generation asks before each pass that it can do without, and names the function as "function (NAME)".
class Gate : public OptPassGate
{
    bool shouldRunPass(StringRef pass, StringRef unit) const override
    {
        return pass != costly ||
               !(unit.contains("(" LS_CLONE_PREFIX) || unit.contains("(" LS_FUNCTION_PREFIX));
    }
    bool isEnabled() const override
    {
        return true;
    }
};
} // namespace

void ls_spare_clones(LLVMModuleRef module)
{
    static Gate gate; // contexts refer to it as long as they live
    LLVMContext &context = unwrap(module)->getContext();
    if (!context.getOptPassGate().isEnabled()) // else somebody is looking for a pass that does harm
        context.setOptPassGate(gate);
}
#else
void ls_spare_clones(LLVMModuleRef)
{
}
#endif
