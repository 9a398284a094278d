// ls_compiler.h - what the C++ parts of the plugin know of the compiler that loaded it.
#ifndef LS_COMPILER_H
#define LS_COMPILER_H

#include "ls_shim.h"

#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

struct ls_compiler {
    llvm::PassBuilder *builder; // the compiler's own: it knows the passes of the target
    unsigned level;             // of optimisation in code generation, 0 to 3
};

// The analyses of functions, from the handle that ls_run got.
llvm::FunctionAnalysisManager &ls_function_analyses(void *manager, llvm::Module &m);

#endif
