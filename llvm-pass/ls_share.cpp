// ls_share.cpp - where in a basic block an access needs a probe of its own, though its address is known from that
// of an earlier one (docs/internals/site-table.md, "Lead").
//
// A message of the earlier access stands for both, so that it must be certain that the later one is executed, too,
// by the same lanes; and what is reported too early must not have been ordered with anything that others see.
#include "ls_shim.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

// Instructions that neither stop a wavefront nor wait for another one nor switch lanes off: what computes values,
// and what LLVM knows to touch memory only as an access does.
static bool isHarmlessCall(const CallBase &call)
{
    if (isa<MemIntrinsic>(call))
        return true;
    if (auto *i = dyn_cast<IntrinsicInst>(&call); i && i->isAssumeLikeIntrinsic())
        return true;
    const Function *f = call.getCalledFunction();
    return f && f->isIntrinsic() && call.doesNotAccessMemory() && call.doesNotThrow() &&
           call.hasFnAttr(Attribute::WillReturn);
}

bool ls_separates(LLVMValueRef instruction)
{
    const auto *i = unwrap<Instruction>(instruction);
    if (auto *call = dyn_cast<CallBase>(i))
        return !isHarmlessCall(*call);
    return i->isAtomic();
}
