// ls_compiler.h - what the C++ parts of the plugin know of the compiler that loaded it.
#ifndef LS_COMPILER_H
#define LS_COMPILER_H

#include "ls_shim.h"

#include "llvm/ADT/SmallVector.h"
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

// ls_distance.cpp: an address as a constant and multiples of values, which it follows.
struct ls_address {
    struct Term {
        llvm::WeakTrackingVH value;
        unsigned extension; // of the value
        int64_t factor;
    };
    int64_t constant;
    llvm::SmallVector<Term, 4> terms;
};
ls_address ls_take_apart(const llvm::DataLayout &layout, llvm::Value *pointer);

// ls_lines.cpp: where accesses stand that a pass merges. First those of a function are noted; behind the pass, new
// ones remember the lines of those that are gone and whose bytes they access.
std::shared_ptr<ls_lines> ls_new_lines();
void ls_note_lines(ls_lines &lines, llvm::Function &f);
void ls_find_lines(ls_lines &lines, llvm::Function &f);
// The instruction does what stood at `line` (a DILocation), too. NULL: nothing happens.
void ls_remember_line(llvm::Instruction *i, llvm::MDNode *line);

// The analyses of functions, from the handle that ls_run got.
llvm::FunctionAnalysisManager &ls_function_analyses(void *manager, llvm::Module &m);

#endif
