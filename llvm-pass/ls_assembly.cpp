// ls_assembly.cpp - a function whose body is assembly text: the device library's, compiled before.
#include "ls_shim.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <string>

using namespace llvm;

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

/* Most passes of code generation have nothing to do in such a function, and none that looks at the whole program may. */
static void leave_alone(Function *f)
{
    f->removeFnAttr(Attribute::MinSize);
    f->removeFnAttr(Attribute::OptimizeForSize);
    f->addFnAttr(Attribute::Naked);
    f->addFnAttr(Attribute::NoInline);
    f->addFnAttr(Attribute::OptimizeNone);
}

void ls_drop_body(LLVMValueRef function)
{
    unwrap<Function>(function)->deleteBody();
}

void ls_leave_out(LLVMValueRef function)
{
    Function *f = unwrap<Function>(function);
    const GlobalValue::LinkageTypes linkage = f->getLinkage();
    f->deleteBody(); // which makes it external
    f->setLinkage(linkage);
    new UnreachableInst(f->getContext(), BasicBlock::Create(f->getContext(), "", f));
}

static bool isLeftOut(const Function *f)
{
    return f && !f->isDeclaration() && isa<UnreachableInst>(f->getEntryBlock().front());
}

static void moveBody(Function *to, Function *from)
{
    if (Error e = from->materialize())
        report_fatal_error(std::move(e));
    BasicBlock *empty = &to->getEntryBlock();
    while (!from->empty()) {
        BasicBlock *b = &from->front();
        b->removeFromParent();
        b->insertInto(to);
    }
    empty->eraseFromParent();
    for (Argument &a : from->args())
        a.replaceAllUsesWith(to->getArg(a.getArgNo()));
}

void ls_put_back(LLVMModuleRef module, LLVMModuleRef library)
{
    Module *m = unwrap(module);
    for (Function &f : *unwrap(library))
        if (Function *to = m->getFunction(f.getName()); isLeftOut(to))
            moveBody(to, &f);
    for (Function &f : *unwrap(library))
        if (!f.use_empty())
            f.replaceAllUsesWith(
                m->getOrInsertFunction(f.getName(), f.getFunctionType(), f.getAttributes()).getCallee());
}

void ls_replace_by_assembly(LLVMValueRef function, const char *text, const char *clobbers,
                            LLVMValueRef refers, unsigned scratch)
{
    Function *f = unwrap<Function>(function);
    LLVMContext &context = f->getContext();
    ls_drop_body(function);
    f->setLinkage(GlobalValue::InternalLinkage);
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
    if (stack) { // never reached: without a use it would not be there, and a known one would make it smaller
        stack->setAlignment(Align(4));
        FunctionType *use = FunctionType::get(Type::getVoidTy(context), {stack->getType()}, false);
        b.CreateCall(InlineAsm::get(use, "", "v", /* side effects */ true), {stack});
    }
    b.CreateUnreachable();
}
