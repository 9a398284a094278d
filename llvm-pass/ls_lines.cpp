// ls_lines.cpp - the lines of accesses that a pass merges into wider ones: noted before it runs, found again behind it.
#include "ls_compiler.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/TrackingMDRef.h"

#include <map>
#include <tuple>
#include <vector>

using namespace llvm;

// Operands: the places of the accesses that an instruction was made of, each once, in their order.
static constexpr char linesKind[] = "lanescope.lines";

// The handles follow the values.
namespace
{
struct Access {
    WeakVH itself; // NULL once it is gone
    bool store;
    ls_address address;
    TrackingMDNodeRef line, lines;
};
} // namespace

struct ls_lines {
    DenseMap<const Function *, std::vector<Access>> of;
};

// What addresses share that lie at constant distances; empty: a value is gone.
using Key = std::vector<std::tuple<const Value *, unsigned, int64_t>>;

static Key keyOf(const ls_address &address)
{
    Key key;
    for (const ls_address::Term &t : address.terms) {
        if (!t.value)
            return {};
        key.emplace_back(t.value, t.extension, t.factor);
    }
    llvm::sort(key);
    return key;
}

void ls_remember_line(Instruction *i, MDNode *line)
{
    MDNode *old = i->getMetadata(linesKind);
    SmallVector<Metadata *, 8> lines;
    if (old)
        lines.append(old->op_begin(), old->op_end());
    if (!line || is_contained(lines, line))
        return;
    lines.push_back(line);
    i->setMetadata(linesKind, MDNode::get(i->getContext(), lines));
}

std::shared_ptr<ls_lines> ls_new_lines()
{
    return std::make_shared<ls_lines>();
}

void ls_note_lines(ls_lines &lines, Function &f)
{
    const DataLayout &layout = f.getParent()->getDataLayout();
    std::vector<Access> &all = lines.of[&f];
    for (Instruction &i : instructions(f))
        if (Value *pointer = getLoadStorePointerOperand(&i); pointer && i.getDebugLoc())
            all.push_back({&i, isa<StoreInst>(i), ls_take_apart(layout, pointer),
                           TrackingMDNodeRef(i.getDebugLoc().get()),
                           TrackingMDNodeRef(i.getMetadata(linesKind))});
}

static void remember(Instruction *i, const Access &a)
{
    ls_remember_line(i, a.line.get());
    if (MDNode *more = a.lines.get())
        for (const MDOperand &line : more->operands())
            ls_remember_line(i, cast<MDNode>(line.get()));
}

// What is new there and accesses the bytes of what is gone was made of it.
void ls_find_lines(ls_lines &lines, Function &f)
{
    const DataLayout &layout = f.getParent()->getDataLayout();
    const std::vector<Access> all = std::move(lines.of[&f]);
    lines.of.erase(&f);
    DenseSet<const Value *> old;
    std::map<Key, SmallVector<const Access *, 4>> gone;
    for (const Access &a : all)
        if (a.itself)
            old.insert(a.itself);
        else if (Key key = keyOf(a.address); !key.empty())
            gone[std::move(key)].push_back(&a);
    for (Instruction &i : instructions(f)) {
        Value *pointer = getLoadStorePointerOperand(&i);
        if (!pointer || old.contains(&i) || gone.empty())
            continue;
        const ls_address at = ls_take_apart(layout, pointer);
        const auto bytes = (int64_t)layout.getTypeStoreSize(getLoadStoreType(&i)).getFixedValue();
        if (auto found = gone.find(keyOf(at)); found != gone.end())
            for (const Access *a : found->second)
                if (int64_t d = a->address.constant - at.constant;
                    a->store == isa<StoreInst>(i) && d >= 0 && d < bytes)
                    remember(&i, *a);
    }
}

LLVMMetadataRef ls_get_merged_line(LLVMValueRef instruction, unsigned k)
{
    MDNode *n = cast<Instruction>(unwrap(instruction))->getMetadata(linesKind);
    return n && k < n->getNumOperands() ? wrap(n->getOperand(k).get()) : nullptr;
}

void ls_find_early_lines(const struct ls_compiler *compiler, LLVMValueRef function)
{
    if (compiler->lines)
        ls_find_lines(*compiler->lines, *unwrap<Function>(function));
}

void ls_forget_lines(LLVMValueRef function)
{
    for (Instruction &i : instructions(unwrap<Function>(function)))
        i.setMetadata(linesKind, nullptr);
}
