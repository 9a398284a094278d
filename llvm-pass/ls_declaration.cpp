// ls_declaration.cpp - what the source says about a variable in LDS: its name, its dimensions, and the type
// of its elements, which advice on its layout counts in.
#include "ls_shim.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

#include <cstdio>
#include <cstring>

using namespace llvm;

static void setText(char (&to)[96], StringRef text)
{
    size_t n = std::min(text.size(), sizeof to - 1);
    memcpy(to, text.data(), n);
    to[n] = 0;
}

// What the source calls a variable of that linkage name: "tile" of _ZZ6kernelPfE4tile, of
// _ZZ6kernelPfE4tile_0 and of tile; nothing for other forms.
static StringRef plainName(StringRef name)
{
    if (name.size() > strlen(LS_LDS_PREFIX) && name.substr(0, strlen(LS_LDS_PREFIX)) == LS_LDS_PREFIX)
        name = name.substr(strlen(LS_LDS_PREFIX));
    if (name.empty() || name.front() != '_')
        return name.find('.') == StringRef::npos ? name : StringRef();
    for (size_t i = name.rfind('E'); i != StringRef::npos && i > 0; i = name.rfind('E', i)) {
        StringRef rest = name.substr(i + 1);
        unsigned length;
        if (!rest.consumeInteger(10, length) && length && length <= rest.size() &&
            (length == rest.size() || rest[length] == '_'))
            return rest.substr(0, length);
    }
    return StringRef();
}

// The type behind names and qualifiers.
static const DIType *behindNames(const DIType *t)
{
    for (auto *d = dyn_cast_or_null<DIDerivedType>(t); d; d = dyn_cast_or_null<DIDerivedType>(t)) {
        unsigned tag = d->getTag();
        if (tag != dwarf::DW_TAG_typedef && tag != dwarf::DW_TAG_const_type &&
            tag != dwarf::DW_TAG_volatile_type)
            break;
        t = d->getBaseType();
    }
    return t;
}

static const DICompositeType *asArray(const DIType *t)
{
    auto *c = dyn_cast_or_null<DICompositeType>(behindNames(t));
    return c && c->getTag() == dwarf::DW_TAG_array_type && !c->isVector() ? c : nullptr;
}

static bool addDimension(struct ls_declaration *d, int64_t n)
{
    if (d->n_dimensions == 4)
        return false;
    d->dimension[d->n_dimensions++] = n > 0 && n < INT32_MAX ? static_cast<unsigned>(n) : 0;
    return true;
}

static bool addSubrange(struct ls_declaration *d, const DINode *element)
{
    auto *s = dyn_cast_or_null<DISubrange>(element);
    if (!s)
        return false;
    auto bound = s->getCount();
#if LLVM_VERSION_MAJOR >= 17
    auto *count = dyn_cast_if_present<ConstantInt *>(bound);
#else
    auto *count = bound.is<ConstantInt *>() ? bound.get<ConstantInt *>() : nullptr;
#endif
    return addDimension(d, count ? count->getSExtValue() : 0);
}

static bool byDebugInfo(const GlobalVariable *g, struct ls_declaration *d)
{
    SmallVector<DIGlobalVariableExpression *, 1> all;
    g->getDebugInfo(all);
    if (all.empty())
        return false;
    const DIGlobalVariable *v = all[0]->getVariable();
    const DIType *t = v->getType();
    while (const DICompositeType *a = asArray(t)) {
        for (const DINode *e : a->getElements())
            if (!addSubrange(d, e))
                return false;
        t = a->getBaseType();
    }
    // Qualifiers have no name; typedefs are what the source says.
    const DIType *named = t;
    while (named && named->getName().empty() && isa<DIDerivedType>(named))
        named = cast<DIDerivedType>(named)->getBaseType();
    const DIType *plain = behindNames(t);
    if (!named || !plain || plain->getSizeInBits() % 8)
        return false;
    setText(d->type, named->getName());
    setText(d->name, v->getName());
    d->element = static_cast<unsigned>(plain->getSizeInBits() / 8);
    auto *c = dyn_cast<DICompositeType>(plain);
    // HIP's vectors, as float4, have fields, but nobody can add one.
    d->structure =
        c && !c->isVector() && d->element > 1 && c->getName().find("HIP_vector_type") == StringRef::npos;
    return d->element > 0;
}

static void byType(const GlobalVariable *g, const DataLayout &layout, struct ls_declaration *d)
{
    Type *t = g->getValueType();
    d->n_dimensions = 0;
    for (auto *a = dyn_cast<ArrayType>(t); a; a = dyn_cast<ArrayType>(t)) {
        if (!addDimension(d, static_cast<int64_t>(a->getNumElements())))
            break;
        t = a->getElementType();
    }
    d->element = static_cast<unsigned>(layout.getTypeAllocSize(t).getFixedValue());
    auto *s = dyn_cast<StructType>(t);
    StringRef name = s && s->hasName() ? s->getName() : StringRef();
    name = name.substr(name.find('.') + 1); // "struct.P"
    bool vector = name.find("HIP_vector_type") != StringRef::npos;
    d->structure = s && !vector;
    if (!name.empty() && !vector) {
        setText(d->type, name);
    } else if (t->isFloatTy() || t->isDoubleTy() || t->isHalfTy()) {
        setText(d->type, t->isFloatTy() ? "float" : t->isDoubleTy() ? "double" : "half");
    } else if (t->isIntegerTy(8) || t->isIntegerTy(16) || t->isIntegerTy(32)) {
        setText(d->type, t->isIntegerTy(8) ? "char" : t->isIntegerTy(16) ? "short" : "int");
    }
}

// What the size of an element is a multiple of: the type in the IR has the alignment of its fields, debug
// information that of alignas.
static unsigned alignmentOf(const GlobalVariable *g, const DataLayout &layout)
{
    Type *t = g->getValueType();
    while (auto *a = dyn_cast<ArrayType>(t))
        t = a->getElementType();
    uint64_t alignment = layout.getABITypeAlign(t).value();
    SmallVector<DIGlobalVariableExpression *, 1> all;
    g->getDebugInfo(all);
    const DIType *declared = all.empty() ? nullptr : all[0]->getVariable()->getType();
    while (const DICompositeType *a = asArray(declared))
        declared = a->getBaseType();
    if (const DIType *plain = behindNames(declared))
        alignment = std::max<uint64_t>(alignment, plain->getAlignInBits() / 8);
    return alignment <= 0x8000 ? static_cast<unsigned>(alignment) : 0;
}

// False: nothing is known.
static bool declare(const GlobalVariable *g, const DataLayout &layout, struct ls_declaration *d)
{
    memset(d, 0, sizeof *d);
    if (!g)
        return false;
    if (!byDebugInfo(g, d)) {
        memset(d, 0, sizeof *d);
        setText(d->name, plainName(g->getName()));
        byType(g, layout, d);
    }
    uint64_t bytes = g->isDeclaration() ? 0 : layout.getTypeAllocSize(g->getValueType()).getFixedValue();
    d->alignment = alignmentOf(g, layout);
    d->bytes = bytes < INT32_MAX ? static_cast<unsigned>(bytes) : 0;
    return d->element > 0;
}

bool ls_declaration_of(LLVMValueRef pointer, LLVMValueRef function, struct ls_declaration *out)
{
    LLVMValueRef variable = ls_variable_of(pointer, function);
    const DataLayout &layout = unwrap<Function>(function)->getParent()->getDataLayout();
    return variable && declare(unwrap<GlobalVariable>(variable), layout, out);
}
