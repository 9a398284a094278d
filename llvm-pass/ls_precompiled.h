// ls_precompiled.h - LLVM's headers that most C++ files here read, compiled once per LLVM: reading them is most of the time a file takes.
// Each file still includes what it uses; a build with -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows that it does.
#ifndef LS_PRECOMPILED_H
#define LS_PRECOMPILED_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

#endif
