// ls_together.cpp - hands a function's flow graph to flow/together.h.
#include "ls_compiler.h"
#include "ls_shim.h"
#include "barriers.h"
#include "together.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

#include <vector>

using namespace llvm;

struct ls_together_numbers {
    DenseMap<const BasicBlock *, uint32_t> place;
    std::vector<uint32_t> together, barriers; // barriers: passed where a block begins
};

// A block that the optimiser left behind for what cannot happen, as the default of a complete switch.
static bool isNeverExecuted(const BasicBlock &b)
{
    return isa<UnreachableInst>(b.front());
}

static bool isBarrier(const Instruction &i)
{
    auto *call = dyn_cast<CallInst>(&i);
    if (!call)
        return false;
    if (auto *text = dyn_cast<InlineAsm>(call->getCalledOperand()))
        return StringRef(text->getAsmString()).contains("s_barrier");
    auto *intrinsic = dyn_cast<IntrinsicInst>(call);
    return intrinsic && intrinsic->getIntrinsicID() == Intrinsic::amdgcn_s_barrier;
}

static uint32_t countBarriers(const BasicBlock &b, const Instruction *end = nullptr)
{
    uint32_t n = 0;
    for (const Instruction &i : b) {
        if (&i == end)
            break;
        n += isBarrier(i);
    }
    return n;
}

// Loops by numbers from 1, the outer ones first.
static DenseMap<const Loop *, uint32_t> numberLoops(LoopInfo &loops, std::vector<uint32_t> &outer)
{
    DenseMap<const Loop *, uint32_t> number;
    outer.assign(1, 0);
    for (const Loop *l : loops.getLoopsInPreorder()) {
        number[l] = static_cast<uint32_t>(outer.size());
        outer.push_back(l->getParentLoop() ? number[l->getParentLoop()] : 0);
    }
    return number;
}

struct ls_together_numbers *ls_number_together(void *manager, LLVMValueRef function)
{
    Function *f = unwrap<Function>(function);
    auto &loops = ls_function_analyses(manager, *f->getParent()).getResult<LoopAnalysis>(*f);
    auto *numbers = new ls_together_numbers;
    for (BasicBlock &b : *f) {
        auto place = static_cast<uint32_t>(numbers->place.size());
        numbers->place[&b] = place;
    }
    std::vector<uint32_t> outer;
    auto loopNumber = numberLoops(loops, outer);
    std::vector<std::vector<uint32_t>> to(f->size());
    std::vector<ls_together_block> graph;
    for (BasicBlock &b : *f) {
        std::vector<uint32_t> &next = to[graph.size()];
        for (BasicBlock *s : successors(&b))
            if (!isNeverExecuted(*s))
                next.push_back(numbers->place[s]);
        const Loop *l = loops.getLoopFor(&b);
        uint32_t n = l ? loopNumber[l] : 0;
        graph.push_back(
            {next.data(), static_cast<uint32_t>(next.size()), n, l && l->getHeader() == &b ? n : 0});
    }
    numbers->together.resize(graph.size());
    if (ls_together(graph.data(), static_cast<uint32_t>(graph.size()), outer.data(),
                    numbers->together.data()))
        numbers->together.clear();
    std::vector<uint32_t> inside;
    for (BasicBlock &b : *f)
        inside.push_back(countBarriers(b));
    numbers->barriers.resize(graph.size());
    ls_barriers(graph.data(), static_cast<uint32_t>(graph.size()), inside.data(), numbers->barriers.data());
    return numbers;
}

unsigned ls_executed_together(const struct ls_together_numbers *numbers, LLVMValueRef instruction)
{
    constexpr unsigned limit = 0xffff;
    if (numbers->together.empty())
        return 0;
    unsigned number =
        numbers->together[numbers->place.lookup(unwrap<Instruction>(instruction)->getParent())] + 1;
    return number <= limit ? number : 0;
}

unsigned ls_barriers_before(const struct ls_together_numbers *numbers, LLVMValueRef instruction)
{
    constexpr unsigned limit = 0xff;
    auto *i = unwrap<Instruction>(instruction);
    uint64_t n = numbers->barriers[numbers->place.lookup(i->getParent())];
    n += countBarriers(*i->getParent(), i) + 1;
    return n <= limit ? static_cast<unsigned>(n) : 0;
}

void ls_free_together(struct ls_together_numbers *numbers)
{
    delete numbers;
}
