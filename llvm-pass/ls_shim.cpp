// ls_shim.cpp - entry point of the plugin and the few things that only LLVM's C++ interface can do
// (ls_shim.h).
#include "ls_compiler.h"

#include "llvm/Config/llvm-config.h"
#if __has_include("llvm/Plugins/PassPlugin.h")
#include "llvm/Plugins/PassPlugin.h" // since LLVM 22
#else
#include "llvm/Passes/PassPlugin.h"
#endif
#if LLVM_VERSION_MAJOR >= 17
#include "llvm/Analysis/UniformityAnalysis.h"
#else
#include "llvm/Analysis/DivergenceAnalysis.h"
#endif
#if __has_include("llvm/IR/AttributeMask.h")
#include "llvm/IR/AttributeMask.h"
#endif
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <cstddef>
#include <cstring>
#include <dlfcn.h>

// Data of LLVM that not every version has: weak, so that a wrong version can load the plugin and be told.
#if LLVM_VERSION_MAJOR >= 17
__asm__(".weak _ZN4llvm22UniformityInfoAnalysis3KeyE");
#else
__asm__(".weak _ZN4llvm18DivergenceAnalysis3KeyE");
#endif

using namespace llvm;

const unsigned ls_built_major = LLVM_VERSION_MAJOR;

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

void ls_clone_body(LLVMValueRef to, LLVMValueRef from, LLVMValueRef *old_values, LLVMValueRef *new_values,
                   unsigned n)
{
    Function *dst = unwrap<Function>(to), *src = unwrap<Function>(from);
    ValueToValueMapTy map;
    for (unsigned i = 0; i < n; i++)
        map[unwrap(old_values[i])] = unwrap(new_values[i]);
    auto arg = dst->arg_begin();
    for (Argument &a : src->args()) {
        arg->setName(a.getName());
        map[&a] = &*arg++;
    }
    dst->copyAttributesFrom(src);
    SmallVector<ReturnInst *, 8> returns;
    // Only with this change type LLVM gives the copy a subprogram of its own, which the verifier wants.
    CloneFunctionInto(dst, src, map, CloneFunctionChangeType::GlobalChanges, returns);
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

// What the vectoriser makes of an access: the loaded value becomes an element of a new load; the stored one
// goes into a new store. The handles follow the values.
namespace
{
struct Watched {
    unsigned tag;
    bool store;
    WeakTrackingVH value;
};
} // namespace

static constexpr char mergedKind[] = "lanescope.merged";

static void rememberTag(Instruction *i, unsigned tag)
{
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
        rememberTag(load, w.tag);
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
            rememberTag(store, only->tag);
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
                all.push_back({tag, false, load});
            else if (auto *store = dyn_cast<StoreInst>(&i))
                all.push_back({tag, true, store->getValueOperand()});
        }
    if (!ls_run_pipeline(manager, compiler, function, "load-store-vectorizer"))
        return false;
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

/* Takes the word out of the list; false when it is not there. */
static bool take_word(std::string &list, const std::string &word)
{
    size_t at = ("," + list + ",").find("," + word + ",");
    if (at == std::string::npos)
        return false;
    list.erase(at, word.size() + 1);
    if (at && at == list.size()) /* it was the last one */
        list.pop_back();
    return true;
}

/* Instructions that change VCC and SCC, never reached. For inline assembly to say so code generation compares the names of all
 * registers of all classes, again and again: a quarter of the time that a small kernel takes it. */
static void change_conditions(IRBuilder<> &b, Module *m)
{
    LLVMContext &context = b.getContext();
    Type *f32 = b.getFloatTy(), *i64 = b.getInt64Ty();
    FunctionCallee divide =
        m->getOrInsertFunction("llvm.amdgcn.div.fmas.f32", f32, f32, f32, f32, b.getInt1Ty());
    FunctionCallee place = m->getOrInsertFunction("llvm.amdgcn.s.getpc", i64);
    Value *zero = ConstantFP::get(f32, 0), *vcc = b.CreateCall(divide, {zero, zero, zero, b.getTrue()});
    Value *scc =
        b.CreateAdd(b.CreateCall(place), ConstantInt::get(i64, 1)); /* with a carry from half to half */
    FunctionType *type = FunctionType::get(Type::getVoidTy(context), {f32, i64}, false);
    b.CreateCall(InlineAsm::get(type, "", "v,s", /* side effects */ true), {vcc, scc});
}

/* Empty assembly, never reached, that changes the registers: few in each, as code generation looks, for every register that an
 * instruction changes, at all others that it changes. */
static void change_registers(IRBuilder<> &b, StringRef clobbers)
{
    enum { most = 8 };
    SmallVector<StringRef, 128> words;
    clobbers.split(words, ',', -1, /* keep empty ones */ false);
    FunctionType *type = FunctionType::get(Type::getVoidTy(b.getContext()), false);
    for (size_t i = 0; i < words.size(); i += most) {
        std::string some =
            join(ArrayRef<StringRef>(words).slice(i, std::min<size_t>(most, words.size() - i)), ",");
        b.CreateCall(InlineAsm::get(type, "", some, /* side effects */ true));
    }
}

/* Most passes of code generation have nothing to do in such a function. */
static void leave_alone(Function *f)
{
    f->removeFnAttr(Attribute::MinSize);
    f->removeFnAttr(Attribute::OptimizeForSize);
    f->addFnAttr(Attribute::Naked);
    f->addFnAttr(Attribute::NoInline);
    f->addFnAttr(Attribute::OptimizeNone);
}

void ls_replace_by_assembly(LLVMValueRef function, const char *text, const char *clobbers,
                            LLVMValueRef refers, unsigned scratch)
{
    Function *f = unwrap<Function>(function);
    LLVMContext &context = f->getContext();
    GlobalValue::LinkageTypes linkage = f->getLinkage();
    f->deleteBody();
    f->setLinkage(linkage);
    leave_alone(f);
    SmallVector<Value *, 1> operands;
    SmallVector<Type *, 1> types;
    std::string registers = clobbers, both = clobbers;
    const bool conditions = take_word(both, "~{vcc}") && take_word(both, "~{scc}");
    if (conditions)
        registers = both;
    if (refers) {
        operands.push_back(unwrap(refers));
        types.push_back(operands[0]->getType());
    }
    FunctionType *type = FunctionType::get(Type::getVoidTy(context), types, false);
    IRBuilder<> b(BasicBlock::Create(context, "", f));
    AllocaInst *stack = nullptr;
    if (scratch)
        stack = b.CreateAlloca(ArrayType::get(b.getInt8Ty(), scratch),
                               f->getParent()->getDataLayout().getAllocaAddrSpace());
    b.CreateCall(InlineAsm::get(type, text, refers ? "i" : "", /* side effects */ true), operands);
    change_registers(b, registers);
    if (conditions)
        change_conditions(b, f->getParent());
    if (stack) { // never reached: without a use it would not be there
        stack->setAlignment(Align(4));
        b.CreateStore(b.getInt8(0), stack, /* volatile */ true);
    }
    b.CreateUnreachable();
}

namespace
{
struct Instrument : PassInfoMixin<Instrument> {
    ls_compiler compiler;
    decltype(&ls_run) work = ls_run;

    PreservedAnalyses run(Module &m, ModuleAnalysisManager &mam)
    {
        return work(wrap(&m), &mam, &compiler) ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired()
    {
        return true;
    } // also at -O0
};
} // namespace

// LLVM 15 does not look at the version of a plugin's interface closely enough: a plugin of another major
// version is accepted and crashes. LLVMGetVersion exists from LLVM 16 on and has C linkage; its absence
// means 15.
static unsigned runningMajor()
{
    auto get =
        reinterpret_cast<void (*)(unsigned *, unsigned *, unsigned *)>(dlsym(RTLD_DEFAULT, "LLVMGetVersion"));
    unsigned major = 15;
    if (get)
        get(&major, nullptr, nullptr);
    return major;
}

static void registerPass(PassBuilder &builder)
{
    unsigned running = runningMajor();
    if (running != LLVM_VERSION_MAJOR) {
        ls_complain("this plugin is for LLVM %d, the compiler is LLVM %u: kernels stay uninstrumented",
                    LLVM_VERSION_MAJOR, running);
        return;
    }
    PassBuilder *b = &builder; // lives as long as what it builds
    builder.registerOptimizerLastEPCallback(
        [b](ModulePassManager &manager, OptimizationLevel level, auto &&...) {
            manager.addPass(Instrument{{}, {b, level.getSpeedupLevel()}});
        });
    // lld generates code at 2 or 3, whatever level its passes have (getCGOptLevel in lld/Common/Args.cpp).
    builder.registerFullLinkTimeOptimizationLastEPCallback(
        [b](ModulePassManager &manager, OptimizationLevel level, auto &&...) {
            manager.addPass(Instrument{{}, {b, std::max(2u, level.getSpeedupLevel())}});
        });
    builder.registerPipelineParsingCallback(
        [b](StringRef name, ModulePassManager &manager, ArrayRef<PassBuilder::PipelineElement>) {
            const struct {
                StringRef name;
                decltype(&ls_run) work;
            } passes[] = {
                {"lanescope", ls_run}, {"lanescope-device", ls_run_device}, {"lanescope-serve", ls_serve}};
            for (const auto &pass : passes) {
                if (name != pass.name)
                    continue;
                manager.addPass(Instrument{{}, {b, 2}, pass.work});
                return true;
            }
            return false;
        });
}

// What the compiler that loads the plugin expects here has grown: LLVM 22 has one more callback and checks
// for interface version 2. So that every version gets as far as registerPass and its message, instead of
// failing the compilation, the answer has the size and the version that the running compiler expects. The
// function returns a struct in memory, which in the x86-64 ABI (System V psABI, section 3.2.3) is a hidden
// pointer argument that is also the return value.
struct PluginInfo {
    uint32_t version;
    const char *name, *pluginVersion;
    void (*registerCallbacks)(PassBuilder &);
    void *preCodeGen; // since LLVM 22
};
static_assert(LLVM_VERSION_MAJOR >= 22 ? sizeof(PassPluginLibraryInfo) == sizeof(PluginInfo)
                                       : sizeof(PassPluginLibraryInfo) == offsetof(PluginInfo, preCodeGen),
              "layout of the plugin's description");

#if defined(__x86_64__)
extern "C"
    __attribute__((visibility("default"))) void *ls_plugin_info(void *) __asm__("llvmGetPassPluginInfo");
void *ls_plugin_info(void *result)
{
    bool longer = runningMajor() >= 22;
    PluginInfo info = {longer ? 2u : 1u, "lanescope", LANESCOPE_VERSION, registerPass, nullptr};
    memcpy(result, &info, longer ? sizeof info : offsetof(PluginInfo, preCodeGen));
    return result;
}
#else
extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
    PassPluginLibraryInfo info{};
    info.APIVersion = LLVM_PLUGIN_API_VERSION;
    info.PluginName = "lanescope";
    info.PluginVersion = LANESCOPE_VERSION;
    info.RegisterPassBuilderCallbacks = registerPass;
    return info;
}
#endif

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
