// ls_part.cpp - divides a module in two: the program with its kernels, and their clones with all that only these use. Each part
// becomes an object of its own (ls_beside.c), and the linker puts them together again.
#include "ls_compiler.h"
#include "lanescope/sites.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <unistd.h>

using namespace llvm;

// The target machine that the compiler will generate code with, with all options that it was given. PassBuilder has no function
// that tells it; an explicit instantiation may name private members ([temp.spec]).
namespace
{
struct MachineOf {
    using Member = TargetMachine *PassBuilder::*;
    friend Member member(MachineOf);
};
template <MachineOf::Member M> struct Open {
    friend MachineOf::Member member(MachineOf)
    {
        return M;
    }
};
template struct Open<&PassBuilder::TM>;

constexpr unsigned localMemory = 3;
using Values = SmallPtrSet<GlobalValue *, 32>;
} // namespace

struct ls_parts {
    Values own; // clones, and what only these use
    SmallVector<GlobalVariable *, 8> shared;
};

// What is reached from those that are in `found` already.
class Reach
{
  public:
    explicit Reach(Values &found) : found(found), left(found.begin(), found.end())
    {
    }
    void run()
    {
        while (!left.empty())
            look(*left.pop_back_val());
    }

  private:
    void look(GlobalValue &g)
    {
        for (Value *operand : g.operands())
            add(operand);
        if (auto *f = dyn_cast<Function>(&g))
            for (Instruction &i : instructions(*f))
                for (Value *operand : i.operands())
                    add(operand);
    }
    void add(Value *value)
    {
        auto *constant = dyn_cast<Constant>(value);
        if (!constant || !seen.insert(constant).second)
            return;
        if (auto *g = dyn_cast<GlobalValue>(constant)) {
            if (found.insert(g).second)
                left.push_back(g);
            return;
        }
        for (Value *operand : constant->operands())
            add(operand);
    }

    Values &found;
    SmallVector<GlobalValue *, 32> left;
    SmallPtrSet<Constant *, 32> seen;
};

static bool isCloneOfKernel(const Function &f)
{
    return f.getName().take_front(strlen(LS_CLONE_PREFIX)) == LS_CLONE_PREFIX;
}

// Calls of functions that are not known here, or not in this part: what they need of registers and stack would be guessed.
static bool callsUnknown(Function &f)
{
    for (Instruction &i : instructions(f))
        if (auto *call = dyn_cast<CallBase>(&i))
            if (!call->isInlineAsm() && !isa<GlobalValue>(call->getCalledOperand()->stripPointerCasts()))
                return true;
    return f.isDeclaration() && !f.isIntrinsic();
}

// LLVM 15 and 16 lay out all variables in LDS that functions use as one, for all kernels of a module: also those of functions that
// have no clone.
static bool isUsedByFunctions(const Value &v)
{
    for (const User *user : v.users())
        if (auto *i = dyn_cast<Instruction>(user);
            i ? i->getFunction()->getCallingConv() != CallingConv::AMDGPU_KERNEL
              : isa<Constant>(user) && isUsedByFunctions(*user))
            return true;
    return false;
}

static bool isLocalOfAll(const GlobalValue &g)
{
    return LLVM_VERSION_MAJOR < 17 && g.getAddressSpace() == localMemory && isUsedByFunctions(g);
}

static bool canShare(const GlobalValue &g)
{
    if (g.isDeclaration())
        return !isa<Function>(g) || cast<Function>(g).isIntrinsic();
    return isa<GlobalVariable>(g) && !isLocalOfAll(g) && !g.isThreadLocal() && !g.hasAppendingLinkage();
}

// The other part finds a variable by its name.
static void giveName(GlobalVariable &v)
{
    if (!v.hasLocalLinkage())
        return;
    v.setName("__ls_v_" + v.getName());
    v.setLinkage(GlobalValue::ExternalLinkage);
    v.setVisibility(GlobalValue::HiddenVisibility);
    v.setDSOLocal(true);
}

struct ls_parts *ls_find_parts(LLVMModuleRef module)
{
    Module &m = *unwrap(module);
    auto parts = std::make_unique<ls_parts>();
    Values rest;
    if (!m.getModuleInlineAsm().empty())
        return nullptr;
    for (Function &f : m)
        if (isCloneOfKernel(f) && !f.isDeclaration())
            parts->own.insert(&f);
    Reach(parts->own).run();
    for (GlobalValue &g : m.global_values())
        if (!parts->own.count(&g))
            rest.insert(&g);
    Reach(rest).run();
    for (GlobalValue &g : m.global_values()) {
        if (!rest.count(&g) || !parts->own.erase(&g))
            continue;
        if (!canShare(g))
            return nullptr;
        if (auto *v = dyn_cast<GlobalVariable>(&g);
            v && !v->isDeclaration() && v->getAddressSpace() != localMemory)
            parts->shared.push_back(v);
    }
    for (GlobalValue *g : parts->own)
        if (auto *f = dyn_cast<Function>(g); f && callsUnknown(*f))
            return nullptr;
    for (GlobalVariable *v : parts->shared)
        giveName(*v);
    return parts.release();
}

void ls_free_parts(struct ls_parts *parts)
{
    delete parts;
}

static void erase(ArrayRef<GlobalValue *> values)
{
    for (GlobalValue *g : values) {
        if (auto *f = dyn_cast<Function>(g))
            f->dropAllReferences();
        else if (auto *v = dyn_cast<GlobalVariable>(g))
            v->dropAllReferences();
        else
            cast<User>(g)->dropAllReferences();
    }
    for (GlobalValue *g : values) {
        g->removeDeadConstantUsers();
        g->replaceAllUsesWith(UndefValue::get(g->getType())); // by others of these
        g->eraseFromParent();
    }
}

void ls_keep_program(struct ls_parts *parts, LLVMModuleRef module, void *manager)
{
    Module &m = *unwrap(module);
    SmallVector<GlobalValue *, 32> gone(parts->own.begin(), parts->own.end());
    auto &analyses = ls_function_analyses(manager, m);
    for (GlobalValue *g : gone)
        if (auto *f = dyn_cast<Function>(g); f && !f->isDeclaration())
            analyses.clear(*f, f->getName());
    erase(gone);
}

static void declareOnly(GlobalVariable &v)
{
    v.setInitializer(nullptr);
    v.setComdat(nullptr);
    v.clearMetadata();
    v.setExternallyInitialized(false);
    v.setLinkage(GlobalValue::ExternalLinkage);
}

void ls_keep_clones(struct ls_parts *parts, LLVMModuleRef module)
{
    Module &m = *unwrap(module);
    SmallVector<GlobalValue *, 32> gone;
    for (GlobalVariable *v : parts->shared)
        declareOnly(*v);
    Values kept = parts->own;
    Reach(kept).run();
    for (GlobalValue &g : m.global_values())
        if (!kept.count(&g))
            gone.push_back(&g);
    erase(gone);
}

// What code generation says of the clones: who wrote the program need not know but what keeps them from being made.
namespace
{
class Errors : public DiagnosticHandler
{
  public:
    explicit Errors(bool &failed) : failed(failed)
    {
    }
    bool handleDiagnostics(const DiagnosticInfo &said) override
    {
        if (said.getSeverity() != DS_Error)
            return true;
        failed = true;
        errs() << "lanescope: ";
        DiagnosticPrinterRawOStream printer(errs());
        said.print(printer);
        errs() << '\n';
        return true;
    }

  private:
    bool &failed;
};
} // namespace

// The compiler's own handler would remove the files that the other process writes.
static void endOnError(void *, const char *reason, bool)
{
    ls_complain("%s", reason);
    _exit(1);
}

bool ls_write_object(LLVMModuleRef module, const struct ls_compiler *compiler, int file)
{
    TargetMachine *machine = compiler->builder->*member(MachineOf());
    bool failed = false;
    unwrap(module)->getContext().setDiagnosticHandler(std::make_unique<Errors>(failed));
    remove_fatal_error_handler();
    install_fatal_error_handler(endOnError);
    SmallVector<char, 0> bytes;
    raw_svector_ostream buffer(bytes);
    legacy::PassManager passes;
#if LLVM_VERSION_MAJOR >= 18
    const auto object = CodeGenFileType::ObjectFile;
#else
    const auto object = CGFT_ObjectFile;
#endif
    if (machine->addPassesToEmitFile(passes, buffer, nullptr, object))
        return false;
    passes.run(*unwrap(module));
    if (failed)
        return false;
    raw_fd_ostream stream(file, /*shouldClose=*/false);
    stream << buffer.str();
    stream.flush();
    return !stream.has_error();
}

bool ls_knows_machine(const struct ls_compiler *compiler)
{
    return compiler->builder && compiler->builder->*member(MachineOf());
}
