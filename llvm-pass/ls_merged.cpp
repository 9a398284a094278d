// ls_merged.cpp - merges neighbouring accesses as code generation will, and remembers which ones became which.
#include "ls_compiler.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

// What the vectoriser makes of an access: the loaded value becomes an element of a new load; the stored one
// goes into a new store. The handles follow the values.
namespace
{
struct Watched {
    unsigned tag;
    bool store;
    WeakTrackingVH value;
    MDNode *line; // ls_place_of
};
} // namespace

static constexpr char mergedKind[] = "lanescope.merged";

static void remember(Instruction *i, const Watched &w)
{
    const unsigned tag = w.tag;
    ls_remember_line(i, w.line);
    LLVMContext &c = i->getContext();
    MDNode *old = i->getMetadata(mergedKind);
    if (old && mdconst::extract<ConstantInt>(old->getOperand(0))->getZExtValue() <= tag)
        return;
    i->setMetadata(mergedKind,
                   MDNode::get(c, ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), tag))));
}

static Value *withoutCasts(Value *v)
{
    while (auto *c = dyn_cast<CastInst>(v))
        v = c->getOperand(0);
    return v;
}

static void findMergedLoad(const Watched &w)
{
    Value *v = w.value;
    while (v && !isa<LoadInst>(v)) {
        auto *i = dyn_cast<Instruction>(v);
        if (!i || !(isa<CastInst>(i) || isa<ExtractElementInst>(i) || isa<ShuffleVectorInst>(i)))
            return;
        v = i->getOperand(0);
    }
    if (auto *load = dyn_cast_or_null<LoadInst>(v); load && !load->hasMetadata("lanescope.seen"))
        remember(load, w);
}

static void findMergedStore(StoreInst *store, ArrayRef<Watched> all)
{
    SmallVector<Value *, 16> parts{withoutCasts(store->getValueOperand())};
    for (unsigned n = 0; n < parts.size(); n++) {
        const Watched *only = nullptr;
        unsigned count = 0;
        for (const Watched &w : all)
            if (w.store && w.value && withoutCasts(w.value) == parts[n]) {
                only = &w;
                count++;
            }
        if (count == 1) // a value that several stores write tells nothing
            remember(store, *only);
        if (auto *i = dyn_cast<Instruction>(parts[n]))
            if (isa<InsertElementInst>(i) || isa<ShuffleVectorInst>(i) || isa<ExtractElementInst>(i))
                for (Value *v : i->operands())
                    if (parts.size() < 64)
                        parts.push_back(withoutCasts(v));
    }
}

bool ls_merge_accesses(void *manager, const struct ls_compiler *compiler, LLVMValueRef function)
{
    Function *f = unwrap<Function>(function);
    SmallVector<Watched, 0> all;
    for (Instruction &i : instructions(f))
        if (unsigned tag = ls_get_tag(wrap(&i))) {
            if (auto *load = dyn_cast<LoadInst>(&i))
                all.push_back({tag, false, load, ls_place_of(*load)});
            else if (auto *store = dyn_cast<StoreInst>(&i))
                all.push_back({tag, true, store->getValueOperand(), ls_place_of(*store)});
        }
    auto lines = ls_new_lines();
    ls_note_lines(*lines, *f);
    if (!ls_run_pipeline(manager, compiler, function, "load-store-vectorizer"))
        return false;
    ls_find_lines(*lines, *f);
    for (const Watched &w : all)
        if (!w.store)
            findMergedLoad(w);
    for (Instruction &i : instructions(f))
        if (auto *store = dyn_cast<StoreInst>(&i); store && !store->hasMetadata("lanescope.seen"))
            findMergedStore(store, all);
    return true;
}

unsigned ls_get_merged_tag(LLVMValueRef instruction)
{
    MDNode *n = cast<Instruction>(unwrap(instruction))->getMetadata(mergedKind);
    return n ? (unsigned)mdconst::extract<ConstantInt>(n->getOperand(0))->getZExtValue() : 0;
}
