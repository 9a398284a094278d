// ls_lines.cpp - the lines of accesses that a pass merges into wider ones: noted before it runs, found again behind it.
#include "ls_compiler.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/TrackingMDRef.h"

#include <map>
#include <tuple>
#include <utility>
#include <vector>

using namespace llvm;

// Operands: the places of the accesses that an instruction was made of, each once, in their order.
static constexpr char linesKind[] = "lanescope.lines";
// Its own place is that of no access.
static constexpr char unplacedKind[] = "lanescope.unplaced";

// The handles follow the values.
namespace
{
struct Access {
    WeakVH itself;     // NULL once it is gone
    bool store, late;  // late: was not there at the first look
    unsigned borrowed; // the line that it has, which is that of no access; else 0
    ls_address address;
    TrackingMDNodeRef line, lines; // as the first look found them
};

struct Accesses {
    bool looked = false;
    std::vector<Access> all;
    DenseMap<const Value *, size_t> at;
};
} // namespace

struct ls_lines {
    DenseMap<const Function *, Accesses> of;
};

// What addresses share that lie at constant distances; empty: a value is gone.
using Key = std::vector<std::pair<const Value *, int64_t>>;

static Key keyOf(const ls_address &address)
{
    Key key;
    for (const ls_address::Term &t : address.terms) {
        if (!t.value)
            return {};
        key.emplace_back(t.value, t.factor);
    }
    llvm::sort(key);
    return key;
}

// A place as metadata may have it, which must not be DILocation: line, column, scope, the place it is inlined at.
static MDNode *pack(const DILocation *at)
{
    if (!at)
        return nullptr;
    LLVMContext &c = at->getContext();
    auto number = [&c](unsigned n) {
        return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), n));
    };
    return MDNode::get(
        c, {number(at->getLine()), number(at->getColumn()), at->getScope(), pack(at->getInlinedAt())});
}

static DILocation *unpack(const Metadata *packed)
{
    if (!packed)
        return nullptr;
    auto *n = cast<MDNode>(packed);
    auto number = [n](unsigned i) {
        return (unsigned)mdconst::extract<ConstantInt>(n->getOperand(i))->getZExtValue();
    };
    return DILocation::get(n->getContext(), number(0), number(1), n->getOperand(2), unpack(n->getOperand(3)));
}

// The place of an access; NULL: it has none, or one without line, itself or that of a call which was inlined.
MDNode *ls_place_of(const Instruction &i)
{
    const DILocation *at = i.getDebugLoc(), *l = at;
    while (l && l->getLine())
        l = l->getInlinedAt();
    return at && !l && !i.hasMetadata(unplacedKind) ? pack(at) : nullptr;
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
    Accesses &noted = lines.of[&f];
    for (Instruction &i : instructions(f)) {
        Value *pointer = getLoadStorePointerOperand(&i);
        if (!pointer)
            continue;
        const size_t at = noted.at.insert({&i, noted.all.size()}).first->second;
        if (at < noted.all.size() && noted.all[at].itself == &i) {
            noted.all[at].address = ls_take_apart(layout, pointer);
            continue;
        }
        noted.at[&i] = noted.all.size();
        const unsigned borrowed =
            i.hasMetadata(unplacedKind) && i.getDebugLoc() ? i.getDebugLoc().getLine() : 0;
        noted.all.push_back({&i, isa<StoreInst>(i), noted.looked, borrowed, ls_take_apart(layout, pointer),
                             TrackingMDNodeRef(ls_place_of(i)), TrackingMDNodeRef(i.getMetadata(linesKind))});
    }
    noted.looked = true;
}

static void setUnplaced(Instruction *i)
{
    i->setMetadata(unplacedKind, MDNode::get(i->getContext(), {}));
}

static void remember(Instruction *i, const Access &a)
{
    ls_remember_line(i, a.line.get());
    if (a.borrowed && i->getDebugLoc() && i->getDebugLoc().getLine() == a.borrowed)
        setUnplaced(i);
    if (MDNode *more = a.lines.get())
        for (const MDOperand &line : more->operands())
            ls_remember_line(i, cast<MDNode>(line.get()));
}

using Gone = std::map<Key, SmallVector<const Access *, 4>>;

// Those of which it accesses bytes at that address. `only`: if one of them has this place, so that it took it over.
static void rememberGone(Instruction *i, const Gone &gone, const ls_address &at, int64_t bytes,
                         const MDNode *only)
{
    SmallVector<const Access *, 8> parts;
    auto found = gone.find(keyOf(at));
    if (found == gone.end())
        return;
    bool taken = !only;
    for (const Access *a : found->second)
        if (const int64_t d = a->address.constant - at.constant;
            a->store == isa<StoreInst>(i) && d >= 0 && d < bytes) {
            parts.push_back(a);
            taken |= a->line.get() == only;
        }
    for (const Access *a : parts)
        if (taken)
            remember(i, *a);
}

// What is new or has moved, and accesses the bytes of what is gone, was made of it. Where ways through the program were merged,
// an address may be one of two.
static void findParts(Instruction *i, const Access *noted, const Gone &gone, const MDNode *only,
                      const DataLayout &layout)
{
    Value *pointer = getLoadStorePointerOperand(i);
    const auto bytes = (int64_t)layout.getTypeStoreSize(getLoadStoreType(i)).getFixedValue();
    if (noted && !only)
        remember(i, *noted);
    if (gone.empty())
        return;
    const ls_address at = ls_take_apart(layout, pointer);
    rememberGone(i, gone, at, bytes, only);
    for (const ls_address &one : ls_alternatives(layout, pointer))
        rememberGone(i, gone, one, bytes, only);
}

// Copies of what was merged, as unrolling makes them behind the last look, have its place: one in a scope, without line.
static void findCopies(Function &f)
{
    using Alike = std::tuple<const DILocation *, unsigned, const Type *>;
    std::map<Alike, MDNode *> known; // NULL: more than one
    SmallVector<std::pair<Instruction *, Alike>, 8> without;
    for (Instruction &i : instructions(f)) {
        const DILocation *at = i.getDebugLoc();
        if (!at || !i.hasMetadata(unplacedKind))
            continue;
        const Alike alike(at, i.getOpcode(), getLoadStoreType(&i));
        if (MDNode *lines = i.getMetadata(linesKind)) {
            MDNode *&one = known.insert({alike, lines}).first->second;
            one = one == lines ? one : nullptr;
        } else {
            without.push_back({&i, alike});
        }
    }
    for (auto &[i, alike] : without)
        if (auto found = known.find(alike); found != known.end() && found->second)
            i->setMetadata(linesKind, found->second);
}

void ls_find_lines(ls_lines &lines, Function &f)
{
    const DataLayout &layout = f.getParent()->getDataLayout();
    const Accesses noted = std::move(lines.of[&f]);
    lines.of.erase(&f);
    Gone gone;
    for (const Access &a : noted.all)
        if (Key key = a.itself ? Key() : keyOf(a.address); !key.empty())
            gone[std::move(key)].push_back(&a);
    for (Instruction &i : instructions(f)) {
        if (!getLoadStorePointerOperand(&i))
            continue;
        auto found = noted.at.find(&i);
        const Access *a = found != noted.at.end() ? &noted.all[found->second] : nullptr;
        a = a && a->itself == &i ? a : nullptr;
        MDNode *place = ls_place_of(i);
        if (!a || !place || place != a->line.get())
            findParts(&i, a, gone, nullptr, layout);
        else if (a->late)
            findParts(&i, a, gone, place, layout);
        if (!place)
            setUnplaced(&i);
    }
    findCopies(f);
}

LLVMMetadataRef ls_get_merged_line(LLVMValueRef instruction, unsigned k)
{
    MDNode *n = cast<Instruction>(unwrap(instruction))->getMetadata(linesKind);
    return n && k < n->getNumOperands() ? wrap(unpack(n->getOperand(k))) : nullptr;
}

bool ls_is_unplaced(LLVMValueRef instruction)
{
    return cast<Instruction>(unwrap(instruction))->hasMetadata(unplacedKind);
}

void ls_find_early_lines(const struct ls_compiler *compiler, LLVMValueRef function)
{
    if (compiler->lines)
        ls_find_lines(*compiler->lines, *unwrap<Function>(function));
}

void ls_forget_lines(LLVMValueRef function)
{
    for (Instruction &i : instructions(unwrap<Function>(function))) {
        i.setMetadata(linesKind, nullptr);
        i.setMetadata(unplacedKind, nullptr);
    }
}
