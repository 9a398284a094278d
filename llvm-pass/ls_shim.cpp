// ls_shim.cpp - the few things of ls_shim.h that only LLVM's C++ interface can do and that are no subject of their own.
#include "ls_compiler.h"

#include "llvm/Config/llvm-config.h"
#if LLVM_VERSION_MAJOR >= 17
#include "llvm/Analysis/UniformityAnalysis.h"
#else
#include "llvm/Analysis/DivergenceAnalysis.h"
#endif
#if __has_include("llvm/IR/AttributeMask.h")
#include "llvm/IR/AttributeMask.h"
#endif
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <cstring>

// Data of LLVM that not every version has: weak, so that a wrong version can load the plugin and be told.
#if LLVM_VERSION_MAJOR >= 17
__asm__(".weak _ZN4llvm22UniformityInfoAnalysis3KeyE");
#else
__asm__(".weak _ZN4llvm18DivergenceAnalysis3KeyE");
#endif

using namespace llvm;

FunctionAnalysisManager &ls_function_analyses(void *manager, Module &m)
{
    return static_cast<ModuleAnalysisManager *>(manager)
        ->getResult<FunctionAnalysisManagerModuleProxy>(m)
        .getManager();
}

void ls_forget_module(void *manager, LLVMModuleRef module)
{
    Module *m = unwrap(module);
    static_cast<ModuleAnalysisManager *>(manager)->clear(*m, m->getName());
}

namespace
{
class Copies : public ValueMaterializer
{
    DenseMap<Value *, Value *> copies;

  public:
    Copies(LLVMValueRef *from, LLVMValueRef *to, unsigned n)
    {
        for (unsigned i = 0; i < n; i++)
            copies[unwrap(from[i])] = unwrap(to[i]);
    }
    virtual ~Copies() = default;
    Value *materialize(Value *v) override
    {
        return copies.lookup(v);
    }
};
} // namespace

void *ls_note_copies(LLVMValueRef *from, LLVMValueRef *to, unsigned n)
{
    return new Copies(from, to, n);
}

void ls_forget_copies(void *copies)
{
    delete static_cast<Copies *>(copies);
}

void ls_clone_body(LLVMValueRef to, LLVMValueRef from, void *copies)
{
    Function *dst = unwrap<Function>(to), *src = unwrap<Function>(from);
    ValueToValueMapTy map;
    auto arg = dst->arg_begin();
    for (Argument &a : src->args()) {
        arg->setName(a.getName());
        map[&a] = &*arg++;
    }
    dst->copyAttributesFrom(src);
    SmallVector<ReturnInst *, 8> returns;
    // Only with this change type LLVM gives the copy a subprogram of its own, which the verifier wants.
    CloneFunctionInto(dst, src, map, CloneFunctionChangeType::GlobalChanges, returns, "", nullptr, nullptr,
                      static_cast<Copies *>(copies));
}

LLVMValueRef ls_rebuild_call(LLVMValueRef call, LLVMValueRef callee, LLVMValueRef extra)
{
    CallBase *old = unwrap<CallBase>(call);
    Function *f = unwrap<Function>(callee);
    SmallVector<Value *, 16> args(old->args());
    args.push_back(unwrap(extra));
    SmallVector<OperandBundleDef, 2> bundles;
    old->getOperandBundlesAsDefs(bundles);
    CallInst *created = CallInst::Create(f->getFunctionType(), f, args, bundles, "",
#if LLVM_VERSION_MAJOR >= 20
                                         old->getIterator());
#else
                                         old);
#endif
    created->setCallingConv(f->getCallingConv());
    created->setAttributes(old->getAttributes());
    if (isa<FPMathOperator>(created))
        created->copyFastMathFlags(old);
    created->copyMetadata(*old);
    created->setDebugLoc(old->getDebugLoc());
    created->takeName(old);
    old->replaceAllUsesWith(created);
    old->eraseFromParent();
    return wrap(created);
}

bool ls_inline_call(LLVMValueRef call)
{
    InlineFunctionInfo info;
    return InlineFunction(*unwrap<CallBase>(call), info).isSuccess();
}

LLVMValueRef ls_split_call(LLVMValueRef call, LLVMValueRef target)
{
    CallBase *c = unwrap<CallBase>(call);
    Function *f = unwrap<Function>(target);
    if (c->isMustTailCall() || !isLegalToPromote(*c, f))
        return nullptr;
    return wrap(&promoteCallWithIfThenElse(*c, f, static_cast<MDNode *>(nullptr)));
}

bool ls_run_pipeline(void *manager, const struct ls_compiler *compiler, LLVMValueRef function,
                     const char *pipeline)
{
    Function *f = unwrap<Function>(function);
    FunctionPassManager passes;
    if (Error e = compiler->builder->parsePassPipeline(passes, pipeline)) {
        ls_complain("pipeline '%s': %s", pipeline, toString(std::move(e)).c_str());
        return false;
    }
    FunctionAnalysisManager &fam = ls_function_analyses(manager, *f->getParent());
    fam.invalidate(*f, passes.run(*f, fam));
    return true;
}

#if LLVM_VERSION_MAJOR >= 17
void *ls_uniformity(void *manager, LLVMValueRef function)
{
    Function *f = unwrap<Function>(function);
    return &ls_function_analyses(manager, *f->getParent()).getResult<UniformityInfoAnalysis>(*f);
}

bool ls_is_uniform(void *uniformity, LLVMValueRef value)
{
    return static_cast<UniformityInfo *>(uniformity)->isUniform(unwrap(value));
}
#else
void *ls_uniformity(void *manager, LLVMValueRef function)
{
    Function *f = unwrap<Function>(function);
    return &ls_function_analyses(manager, *f->getParent()).getResult<DivergenceAnalysis>(*f);
}

bool ls_is_uniform(void *uniformity, LLVMValueRef value)
{
    return !static_cast<DivergenceInfo *>(uniformity)->isDivergent(*unwrap(value));
}
#endif

unsigned ls_loop_depth(void *manager, LLVMValueRef instruction)
{
    Instruction *i = unwrap<Instruction>(instruction);
    Function *f = i->getFunction();
    return ls_function_analyses(manager, *f->getParent())
        .getResult<LoopAnalysis>(*f)
        .getLoopDepth(i->getParent());
}

void ls_invalidate(void *manager, LLVMValueRef function)
{
    Function *f = unwrap<Function>(function);
    ls_function_analyses(manager, *f->getParent()).invalidate(*f, PreservedAnalyses::none());
}

void ls_append_used(LLVMModuleRef module, LLVMValueRef global)
{
    appendToUsed(*unwrap(module), {unwrap<GlobalValue>(global)});
}

void ls_clear_comdat(LLVMValueRef global)
{
    unwrap<GlobalObject>(global)->setComdat(nullptr);
}

void ls_remove_named_metadata(LLVMModuleRef module, const char *name)
{
    if (NamedMDNode *node = unwrap(module)->getNamedMetadata(name))
        node->eraseFromParent();
}

// A callee with probes reads and writes memory, synchronises, may wait and lets its pointers escape into
// messages.
static AttributeMask untrueOfFunctions()
{
    AttributeMask mask;
#if LLVM_VERSION_MAJOR >= 16
    mask.addAttribute(Attribute::Memory);
#else
    mask.addAttribute(Attribute::ReadNone);
    mask.addAttribute(Attribute::ReadOnly);
    mask.addAttribute(Attribute::WriteOnly);
    mask.addAttribute(Attribute::ArgMemOnly);
    mask.addAttribute(Attribute::InaccessibleMemOnly);
    mask.addAttribute(Attribute::InaccessibleMemOrArgMemOnly);
#endif
    mask.addAttribute(Attribute::NoSync);
    mask.addAttribute(Attribute::Speculatable);
    mask.addAttribute(Attribute::WillReturn);
    mask.addAttribute(Attribute::NoCallback);
    return mask;
}

static AttributeMask untrueOfPointers()
{
    AttributeMask mask;
#if LLVM_VERSION_MAJOR >= 21
    mask.addAttribute(Attribute::Captures);
#else
    mask.addAttribute(Attribute::NoCapture);
#endif
    return mask;
}

void ls_strip_memory_attributes(LLVMValueRef function_or_call)
{
    Value *v = unwrap(function_or_call);
    if (Function *f = dyn_cast<Function>(v)) {
        f->removeFnAttrs(untrueOfFunctions());
        for (unsigned i = 0; i < f->arg_size(); i++)
            f->removeParamAttrs(i, untrueOfPointers());
    } else if (CallBase *c = dyn_cast<CallBase>(v)) {
        c->setAttributes(c->getAttributes().removeFnAttributes(c->getContext(), untrueOfFunctions()));
        for (unsigned i = 0; i < c->arg_size(); i++)
            c->removeParamAttrs(i, untrueOfPointers());
    }
}

unsigned ls_access_align(LLVMValueRef instruction)
{
    Value *v = unwrap(instruction);
    if (auto *i = dyn_cast<LoadInst>(v))
        return i->getAlign().value();
    if (auto *i = dyn_cast<StoreInst>(v))
        return i->getAlign().value();
    if (auto *i = dyn_cast<AtomicRMWInst>(v))
        return i->getAlign().value();
    if (auto *i = dyn_cast<AtomicCmpXchgInst>(v))
        return i->getAlign().value();
    return 0;
}

bool ls_is_volatile(LLVMValueRef instruction)
{
    return cast<Instruction>(unwrap(instruction))->isVolatile();
}

bool ls_leaves_memory_alone(LLVMValueRef call)
{
    auto *c = cast<CallBase>(unwrap(call));
    return c->doesNotAccessMemory() || c->onlyAccessesInaccessibleMemory();
}

/* The line at which the innermost block of the source around a place begins; 0: none is known. */
static unsigned block_line(const DILocation *at)
{
    for (const DILocalScope *s = at->getScope(); s; s = dyn_cast_or_null<DILocalScope>(s->getScope())) {
        if (auto *block = dyn_cast<DILexicalBlock>(s); block && block->getLine())
            return block->getLine();
        if (auto *function = dyn_cast<DISubprogram>(s))
            return function->getLine();
    }
    return 0;
}

void ls_give_line(LLVMValueRef instruction)
{
    Instruction *i = cast<Instruction>(unwrap(instruction));
    DISubprogram *function = i->getFunction()->getSubprogram();
    DILocation *at = i->getDebugLoc();
    if (!at && function)
        at = DILocation::get(i->getContext(), 0, 0, function);
    if (at && !at->getLine())
        i->setDebugLoc(
            DILocation::get(i->getContext(), block_line(at), 0, at->getScope(), at->getInlinedAt()));
}

void ls_place_load_at(LLVMValueRef store)
{
    auto *s = dyn_cast<StoreInst>(unwrap(store));
    auto *l = s ? dyn_cast<LoadInst>(s->getValueOperand()) : nullptr;
    if (l && l->hasOneUse() && l->getParent() == s->getParent() && isa<FixedVectorType>(l->getType()) &&
        l->getType()->getScalarSizeInBits() == 8)
        l->setDebugLoc(s->getDebugLoc());
}

void ls_set_tag(LLVMValueRef instruction, unsigned tag)
{
    Instruction *i = cast<Instruction>(unwrap(instruction));
    if (DILocation *at = i->getDebugLoc(); at && at->getLine())
        i->setDebugLoc(at->cloneWithDiscriminator(tag));
}

unsigned ls_get_tag(LLVMValueRef instruction)
{
    DILocation *at = cast<Instruction>(unwrap(instruction))->getDebugLoc();
    return at ? at->getDiscriminator() : 0;
}

bool ls_has_metadata(LLVMValueRef instruction, const char *kind)
{
    return cast<Instruction>(unwrap(instruction))->getMetadata(kind) != nullptr;
}

LLVMValueRef ls_copy_global(LLVMValueRef global, const char *name)
{
    GlobalVariable *old = unwrap<GlobalVariable>(global);
    auto *copy = new GlobalVariable(*old->getParent(), old->getValueType(), old->isConstant(),
                                    GlobalValue::InternalLinkage, old->getInitializer(), name, nullptr,
                                    old->getThreadLocalMode(), old->getAddressSpace());
    copy->copyAttributesFrom(old);
    copy->setVisibility(GlobalValue::DefaultVisibility);
    copy->setLinkage(GlobalValue::InternalLinkage);
    copy->copyMetadata(old, 0);
    return wrap(copy);
}

bool ls_file_md5(const char *path, char out[33])
{
    sys::fs::file_status status;
    if (sys::fs::status(path, status) || !sys::fs::is_regular_file(status) || status.getSize() > (8 << 20))
        return false;
    auto file = MemoryBuffer::getFile(path, /* as text */ false, /* ended by 0 */ false);
    if (!file)
        return false;
    MD5 sum;
    MD5::MD5Result result;
    sum.update((*file)->getBuffer());
    sum.final(result);
    SmallString<32> text = result.digest();
    memcpy(out, text.data(), 32);
    out[32] = 0;
    return true;
}
