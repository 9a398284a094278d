// ls_lines.cpp - the lines of accesses that a pass merges into wider ones: noted before it runs, found again behind it.
#include "ls_compiler.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/TrackingMDRef.h"

#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

using namespace llvm;

// Operands: the places of the accesses that an instruction was made of, each once, in their order. Passes that copy
// instructions, as inlining and unrolling do, copy it; those that make one of two may drop it, and it is put back.
static constexpr char linesKind[] = "lanescope.lines";
// Its own place is that of no access.
static constexpr char unplacedKind[] = "lanescope.unplaced";

namespace
{
enum Kind { Neither, Load, Store, Atomic, Exchange, Copy };

// What an instruction accesses.
struct Reach {
    Kind kind;
    Value *pointer; // of a copy: to where
    int64_t bytes;
};

// The handles follow the values.
struct Access {
    WeakVH itself; // NULL once it is gone
    Kind kind;
    unsigned borrowed; // the line that it has, which is that of no access; else 0
    ls_address address;
    TrackingMDNodeRef line, lines; // as the last look found them
    TrackingMDNodeRef at;          // likewise: its place, which may be that of no access
};

struct Accesses {
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

static Reach reachOf(Instruction &i)
{
    const DataLayout &layout = i.getModule()->getDataLayout();
    auto bytes = [&layout](Type *t) { return (int64_t)layout.getTypeStoreSize(t).getKnownMinValue(); };
    if (auto *load = dyn_cast<LoadInst>(&i))
        return {Load, load->getPointerOperand(), bytes(load->getType())};
    if (auto *store = dyn_cast<StoreInst>(&i))
        return {Store, store->getPointerOperand(), bytes(store->getValueOperand()->getType())};
    if (auto *rmw = dyn_cast<AtomicRMWInst>(&i))
        return {Atomic, rmw->getPointerOperand(), bytes(rmw->getType())};
    if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&i))
        return {Exchange, swap->getPointerOperand(), bytes(swap->getCompareOperand()->getType())};
    if (auto *copy = dyn_cast<AnyMemIntrinsic>(&i)) {
        auto *n = dyn_cast<ConstantInt>(copy->getLength());
        return {Copy, copy->getRawDest(), n ? (int64_t)n->getZExtValue() : 1};
    }
    return {Neither, nullptr, 0};
}

// A place as metadata may have it, which must not be DILocation: line, column, scope, the place it is inlined at.
static MDNode *pack(LLVMContext &c, unsigned line, unsigned column, Metadata *scope, Metadata *inlinedAt)
{
    auto number = [&c](unsigned n) {
        return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(c), n));
    };
    return MDNode::get(c, {number(line), number(column), scope, inlinedAt});
}

static MDNode *pack(const DILocation *at)
{
    return at ? pack(at->getContext(), at->getLine(), at->getColumn(), at->getScope(),
                     pack(at->getInlinedAt()))
              : nullptr;
}

static unsigned packedNumber(const MDNode *packed, unsigned i)
{
    return (unsigned)mdconst::extract<ConstantInt>(packed->getOperand(i))->getZExtValue();
}

static DILocation *unpack(const Metadata *packed)
{
    auto *n = cast_or_null<MDNode>(packed);
    return n ? DILocation::get(n->getContext(), packedNumber(n, 0), packedNumber(n, 1), n->getOperand(2),
                               unpack(n->getOperand(3)))
             : nullptr;
}

// Likewise of the instruction itself; NULL: it has none, or one without line, itself or that of a call which was inlined.
static DILocation *placeOf(const Instruction &i)
{
    DILocation *at = i.getDebugLoc(), *l = at;
    while (l && l->getLine())
        l = l->getInlinedAt();
    return l || i.hasMetadata(unplacedKind) ? nullptr : at;
}

MDNode *ls_place_of(const Instruction &i)
{
    return pack(placeOf(i));
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

static void setUnplaced(Instruction *i)
{
    i->setMetadata(unplacedKind, MDNode::get(i->getContext(), {}));
}

static void remember(Instruction *i, const Access &a)
{
    ls_remember_line(i, pack(cast_or_null<DILocation>(a.line.get())));
    if (a.borrowed && i->getDebugLoc() && i->getDebugLoc().getLine() == a.borrowed)
        setUnplaced(i);
    if (MDNode *more = a.lines.get())
        for (const MDOperand &line : more->operands())
            ls_remember_line(i, cast<MDNode>(line.get()));
}

using Gone = std::map<Key, SmallVector<const Access *, 4>>;

static Gone whatIsGone(const Accesses &noted)
{
    Gone gone;
    for (const Access &a : noted.all)
        if (Key key = a.itself ? Key() : keyOf(a.address); !key.empty())
            gone[std::move(key)].push_back(&a);
    return gone;
}

// Those of which it accesses bytes at that address. `only`: if one of them has this place, so that it took it over.
static void rememberGone(Instruction *i, const Reach &reach, const Gone &gone, const ls_address &at,
                         const DILocation *only)
{
    SmallVector<const Access *, 8> parts;
    auto found = gone.find(keyOf(at));
    if (found == gone.end())
        return;
    bool taken = !only;
    for (const Access *a : found->second)
        if (const int64_t d = a->address.constant - at.constant;
            a->kind == reach.kind && d >= 0 && d < reach.bytes) {
            parts.push_back(a);
            taken |= a->line.get() == only;
        }
    for (const Access *a : parts)
        if (taken)
            remember(i, *a);
}

// What is new or has moved, and accesses the bytes of what is gone, was made of it. Where ways through the program were merged,
// an address may be one of two.
static void findParts(Instruction *i, const Reach &reach, const Gone &gone, const DILocation *only)
{
    if (gone.empty())
        return;
    const DataLayout &layout = i->getModule()->getDataLayout();
    rememberGone(i, reach, gone, ls_take_apart(layout, reach.pointer), only);
    for (const ls_address &one : ls_alternatives(layout, reach.pointer))
        rememberGone(i, reach, gone, one, only);
}

// Whether a loop counts with the value, or ways that meet made it.
static bool isOfLoop(const Value *v)
{
    while (auto *c = dyn_cast<CastInst>(v))
        v = c->getOperand(0);
    return isa<PHINode>(v) && !v->getType()->isPointerTy();
}

// Whether both may be the same place in memory on some turn of a loop, when the loop's own values are others by now, or
// are known because its turns were unrolled.
static bool areAlike(const ls_address &gone, const ls_address &now, int64_t bytes)
{
    auto term = [](const ls_address::Term &t) {
        return std::pair<const Value *, int64_t>(t.value, t.factor);
    };
    SmallVector<std::pair<const Value *, int64_t>, 4> left;
    bool based = false;
    for (const ls_address::Term &t : now.terms)
        left.push_back(term(t));
    uint64_t unit = 0;
    for (const ls_address::Term &t : gone.terms) {
        auto *same = t.value ? llvm::find(left, term(t)) : left.end();
        if (same == left.end() || isOfLoop(t.value))
            unit = std::gcd(unit, (uint64_t)std::abs(t.factor));
        if (same == left.end())
            continue;
        based |= t.value->getType()->isPointerTy();
        left.erase(same);
    }
    for (auto &[value, factor] : left)
        if (!unit || std::abs(factor) % (int64_t)unit)
            return false;
    int64_t d = gone.constant - now.constant;
    if (unit && (d %= (int64_t)unit) < 0)
        d += (int64_t)unit;
    return based && d >= 0 && d < bytes;
}

// Whether a place in the source is in the block where that is, or in what was inlined there.
static bool isWithin(const DILocation *place, const DILocation *block)
{
    for (; place; place = place->getInlinedAt())
        if (place->getInlinedAt() == block->getInlinedAt())
            for (const DILocalScope *s = place->getScope(); s;
                 s = dyn_cast_or_null<DILocalScope>(s->getScope()))
                if (s == block->getScope())
                    return true;
    return false;
}

// What has no place: it was made of what is gone from the block of the source that it is said to be in, or copied from what
// is said to stand where it does. Addresses are compared but for what loops add to them: passes for loops run between
// two looks.
static void findAlike(Instruction *i, const Reach &reach, const Accesses &noted)
{
    const DILocation *at = i->getDebugLoc();
    if (!at || placeOf(*i))
        return;
    const ls_address address = ls_take_apart(i->getModule()->getDataLayout(), reach.pointer);
    for (const Access &a : noted.all) {
        auto *line = cast_or_null<DILocation>(a.line.get());
        const bool merged = line && !a.itself && isWithin(line, at), copied = a.lines && a.at.get() == at;
        if (a.kind == reach.kind && (merged || copied) && areAlike(a.address, address, reach.bytes))
            remember(i, a);
    }
}

// Likewise a new store that has the place of one of those which it was made of, as older MergedLoadStoreMotion leaves it,
// while nothing stands at the others' any more.
static void findSunk(Instruction *i, const Reach &reach, const Accesses &noted)
{
    const DILocation *place = placeOf(*i);
    const ls_address address = ls_take_apart(i->getModule()->getDataLayout(), reach.pointer);
    SmallVector<const Access *, 4> parts;
    bool taken = false;
    for (const Access &a : noted.all)
        if (!a.itself && a.kind == Store && areAlike(a.address, address, reach.bytes)) {
            parts.push_back(&a);
            taken |= a.line.get() == place;
        }
    if (!taken || parts.size() < 2)
        return;
    SmallPtrSet<const Metadata *, 16> present;
    for (Instruction &other : instructions(i->getFunction()))
        if (isa<StoreInst>(other))
            present.insert(placeOf(other));
    for (const Access *a : parts)
        if (a->line && !present.count(a->line.get()))
            remember(i, *a);
}

// A place in a function that was inlined, as seen from where the instruction is now: with the calls that lead there.
static MDNode *seenFrom(const DILocation *at, const MDNode *place)
{
    auto *outer = cast_or_null<MDNode>(place->getOperand(3).get());
    auto *scope = cast<DILocalScope>(place->getOperand(2));
    Metadata *inlinedAt = outer ? seenFrom(at, outer) : nullptr;
    for (; at && !outer; at = at->getInlinedAt())
        if (at->getScope()->getSubprogram() == scope->getSubprogram())
            inlinedAt = pack(at->getInlinedAt());
    return pack(place->getContext(), packedNumber(place, 0), packedNumber(place, 1), scope, inlinedAt);
}

static void bringLinesAlong(Instruction *i)
{
    MDNode *old = i->getMetadata(linesKind);
    i->setMetadata(linesKind, nullptr);
    for (unsigned k = 0; old && k < old->getNumOperands(); k++)
        ls_remember_line(i, seenFrom(i->getDebugLoc(), cast<MDNode>(old->getOperand(k))));
}

static Access *accessOf(Accesses &noted, const Instruction *i)
{
    auto found = noted.at.find(i);
    return found != noted.at.end() && noted.all[found->second].itself == i ? &noted.all[found->second]
                                                                           : nullptr;
}

// One that was there at the last look. Whether it has not been seen where it is now.
static bool lookAgain(Instruction *i, const Reach &reach, Access &a, const Gone &gone)
{
    const DILocation *place = placeOf(*i);
    if (a.lines && !i->hasMetadata(linesKind))
        i->setMetadata(linesKind, a.lines.get());
    const bool moved = a.line.get() != place;
    if (moved)
        remember(i, a);
    const bool unseen = moved || (!place && !i->hasMetadata(linesKind));
    if (unseen)
        findParts(i, reach, gone, nullptr);
    return unseen;
}

// The accesses that are new since the last look are those that passes made; at the first one, those of the source. `merged`: a pass
// ran that makes new ones only where it merges others.
static void look(ls_lines &lines, Function &f, bool merged)
{
    const DataLayout &layout = f.getParent()->getDataLayout();
    Accesses &noted = lines.of[&f];
    const Gone gone = whatIsGone(noted);
    std::vector<Access> added;
    std::vector<std::pair<Instruction *, Reach>> unseen;
    for (Instruction &i : instructions(f)) {
        const Reach reach = reachOf(i);
        if (!reach.pointer)
            continue;
        Access *a = accessOf(noted, &i);
        if (!a) {
            bringLinesAlong(&i);
            findParts(&i, reach, gone, merged ? nullptr : placeOf(i));
            added.push_back({&i, reach.kind, 0, {}, {}, {}, {}});
            a = &added.back();
            if (LLVM_VERSION_MAJOR < 19 && reach.kind == Store && placeOf(i) && !i.hasMetadata(linesKind))
                findSunk(&i, reach, noted);
            unseen.emplace_back(&i, reach);
        } else if (lookAgain(&i, reach, *a, gone)) {
            unseen.emplace_back(&i, reach);
        }
        a->borrowed = i.hasMetadata(unplacedKind) && i.getDebugLoc() ? i.getDebugLoc().getLine() : 0;
        a->address = ls_take_apart(layout, reach.pointer);
        a->line.reset(placeOf(i));
        a->lines.reset(i.getMetadata(linesKind));
        a->at.reset(i.getDebugLoc().get());
    }
    for (Access &a : added) {
        noted.at[a.itself] = noted.all.size();
        noted.all.push_back(std::move(a));
    }
    for (auto &[i, reach] : unseen) {
        findAlike(i, reach, noted);
        accessOf(noted, i)->lines.reset(i->getMetadata(linesKind));
    }
}

void ls_note_lines(ls_lines &lines, Function &f)
{
    if (f.getSubprogram())
        look(lines, f, false);
}

void ls_find_lines(ls_lines &lines, Function &f)
{
    if (!f.getSubprogram())
        return;
    look(lines, f, true);
    lines.of.erase(&f);
    for (Instruction &i : instructions(f))
        if (reachOf(i).pointer && !placeOf(i))
            setUnplaced(&i);
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

namespace
{
struct Kept {
    // of a place: the lines; whether it is that of no access
    std::map<const DILocation *, std::pair<TrackingMDNodeRef, bool>> of;
};
} // namespace

void *ls_keep_lines(LLVMValueRef function)
{
    auto *kept = new Kept;
    for (Instruction &i : instructions(unwrap<Function>(function)))
        if (MDNode *lines = i.getMetadata(linesKind); lines && i.getDebugLoc())
            kept->of[i.getDebugLoc()] = {TrackingMDNodeRef(lines), i.hasMetadata(unplacedKind)};
    return kept;
}

void ls_put_lines_back(void *handle, LLVMValueRef function)
{
    std::unique_ptr<Kept> kept(static_cast<Kept *>(handle));
    for (Instruction &i : instructions(unwrap<Function>(function))) {
        auto found = kept->of.find(i.getDebugLoc());
        if (found == kept->of.end() || i.hasMetadata(linesKind) || !reachOf(i).pointer)
            continue;
        i.setMetadata(linesKind, found->second.first.get());
        if (found->second.second)
            setUnplaced(&i);
    }
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
