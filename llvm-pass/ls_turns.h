// ls_turns.h - what the parts of the plugin share that tell accesses of loops in front of them (ls_turns.cpp, ls_guards.cpp).
#ifndef LS_TURNS_H
#define LS_TURNS_H

#include "ls_compiler.h"
#include "ls_shim.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <deque>
#include <map>

using namespace llvm;

// A loop that goes on while a number of 32 bits, to which each turn adds a step, is less than a bound: `for (i = t; i < n;
// i += stride)` with a stride that nobody knows. Scalar evolution does not tell its turns, as the step may be 0 and the
// sum may wrap. In front of the loop it is known whether they do.
struct Rising {
    Value *value = nullptr; // the number, when it is compared; null: it is no such loop
    Value *step = nullptr, *bound = nullptr;
    bool isSigned = false;
    // In front of the loop, once they are wanted: whether the turns are told, their number - 1, and the wavefront for the
    // probes there and in the loop: of each access one has to be executed, so the others get 0.
    Value *told = nullptr, *more = nullptr, *waveBefore = nullptr, *waveInside = nullptr;
};

// What is known of a loop.
struct Ends {
    const SCEV *more =
        nullptr; // turns - 1; null: nothing can be told before it, if it is no rising one either
    Rising rising;
    bool apart = false; // lanes may leave it on different turns
    unsigned number = 0;
};

// How an address goes on from turn to turn: by step * scale bytes.
struct Way {
    const SCEV *step = nullptr;
    Value *known = nullptr; // the step, if it is there
    int32_t scale = 1;
    // The number of 32 bits that the step is added to before it is extended, if that may wrap.
    const SCEVAddRecExpr *index = nullptr;
    bool isSigned = false;
};

// One of the conditions under which a turn executes a block: of the first turns, up to one that each lane knows, all and no
// other.
struct Condition {
    Value *same = nullptr; // the same on all turns; null: it compares
    bool wanted = true;    // the value that `same` has to have
    // Else: it holds while the number, to which each turn adds the step, has not passed the bound; `reaches`: or is the bound.
    Value *number = nullptr, *bound = nullptr;
    int64_t step = 0;
    bool isSigned = false, reaches = false;
    bool wraps = false; // the number may, as far as the compiler knows
};

// A block of a loop that a turn executes if all of these hold.
struct Guard {
    bool known = false; // there are such conditions
    SmallVector<Condition, 4> conditions;
    // In front of the loop, once they are wanted: the lanes that execute it on any turn, on how many turns - 1, and whether
    // this is not so, since a number wraps in some lane; null: it cannot be.
    Value *lanes = nullptr, *more = nullptr, *left = nullptr;
};

struct ls_turns {
    struct ls_loops *all = nullptr;
    const Loop *loop = nullptr;
    Value *pointer = nullptr, *index = nullptr;
    Way way;
    Ends *ends = nullptr;
    Guard *guard = nullptr;                   // null: each turn makes the access
    bool alternates = false;                  // there are two addresses, each for every second turn
    DenseMap<Value *, Value *> first, second; // of values in the loop: those of the first and the second turn
};

struct ls_loops {
    ScalarEvolution *evolution;
    LoopInfo *loops;
    DominatorTree *dominators;
    void *uniformity;
    bool wave32;
    std::map<const Loop *, Ends> ends; // whose elements stay where they are
    std::map<const BasicBlock *, Guard> guards;
    std::deque<ls_turns> turns;
};

// The instruction in front of which the probes go.
Instruction *ls_before_loop(const Loop *loop);
// The instruction, if it is one in the loop; else null.
const Instruction *ls_in_loop(const Value *v, const Loop *loop);
bool ls_is_uniform_value(const struct ls_loops *l, const Value *value);
// Whether the value that it has on the first turn can be computed in front of the loop.
bool ls_has_first(const Value *v, const Loop *loop, SmallPtrSetImpl<const Value *> &seen);
Value *ls_first(struct ls_turns *t, Value *v);
// The number of turns of the loop - 1, of 64 bits, in front of it.
Value *ls_all_turns(const struct ls_turns *t);

// ls_guards.cpp: the conditions under which a turn of the loop executes the block; null: they are not known.
Guard *ls_guard_of(struct ls_loops *l, const Loop *loop, const BasicBlock *block);

#endif
