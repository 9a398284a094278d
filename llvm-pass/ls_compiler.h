// ls_compiler.h - what the C++ parts of the plugin know of the compiler that loaded it.
#ifndef LS_COMPILER_H
#define LS_COMPILER_H

#include "ls_shim.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Passes/PassBuilder.h"

#include <memory>

struct ls_lines;

struct ls_compiler {
    llvm::PassBuilder *builder; // the compiler's own: it knows the passes of the target
    unsigned level;             // of optimisation in code generation, 0 to 3
    // of accesses as they were before vectorisers of the middle end; NULL: nobody noted them
    std::shared_ptr<ls_lines> lines;
};

// ls_distance.cpp: an address as a constant and multiples of values, which it follows; in whatever address space it is.
struct ls_address {
    struct Term {
        llvm::WeakTrackingVH value;
        int64_t factor;
    };
    int64_t constant;
    llvm::SmallVector<Term, 4> terms;
};
ls_address ls_take_apart(const llvm::DataLayout &layout, llvm::Value *pointer);
// Where a value of it is one of several (by a select or by the way to it): the address with each of these. Of one such value.
llvm::SmallVector<ls_address, 4> ls_alternatives(const llvm::DataLayout &layout, llvm::Value *pointer);

// ls_lines.cpp: where accesses stand that a pass merges. First those of a function are noted; behind the pass, new
// ones remember the lines of those that are gone and whose bytes they access.
std::shared_ptr<ls_lines> ls_new_lines();
void ls_note_lines(ls_lines &lines, llvm::Function &f);
void ls_find_lines(ls_lines &lines, llvm::Function &f);
// The place of an access, packed; NULL: it has none of its own.
llvm::MDNode *ls_place_of(const llvm::Instruction &i);
// The instruction does what stood at the place, too. NULL: nothing happens.
void ls_remember_line(llvm::Instruction *i, llvm::MDNode *place);

// The active lanes in which a condition holds.
llvm::Value *ls_ballot(llvm::IRBuilderBase &b, llvm::Value *condition, bool wave32);

// The analyses of functions, from the handle that ls_run got.
llvm::FunctionAnalysisManager &ls_function_analyses(void *manager, llvm::Module &m);

#endif
