// ls_plugin.cpp - entry point of the plugin: what the compiler that loads it asks for, and when it runs the pass.
#include "ls_compiler.h"

#include "llvm/Config/llvm-config.h"
#if __has_include("llvm/Plugins/PassPlugin.h")
#include "llvm/Plugins/PassPlugin.h" // since LLVM 22
#else
#include "llvm/Passes/PassPlugin.h"
#endif
#include "llvm/IR/Module.h"
#if __has_include("llvm/TargetParser/Triple.h")
#include "llvm/TargetParser/Triple.h" // since LLVM 17
#else
#include "llvm/ADT/Triple.h"
#endif
#include "llvm/Passes/PassBuilder.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>

using namespace llvm;

const unsigned ls_built_major = LLVM_VERSION_MAJOR;

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
// Passes leave one line, or none, to the accesses that they merge or move.
struct NoteLines : PassInfoMixin<NoteLines> {
    std::shared_ptr<ls_lines> lines;

    explicit NoteLines(std::shared_ptr<ls_lines> to) : lines(std::move(to))
    {
    }
    PreservedAnalyses run(Function &f, FunctionAnalysisManager &)
    {
        if (Triple(f.getParent()->getTargetTriple()).isAMDGCN())
            ls_note_lines(*lines, f);
        return PreservedAnalyses::all();
    }
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
    auto lines = ls_new_lines();
    auto note = [lines](FunctionPassManager &manager, auto &&...) { manager.addPass(NoteLines(lines)); };
    builder.registerCGSCCOptimizerLateEPCallback([lines](CGSCCPassManager &manager, auto &&...) {
        manager.addPass(createCGSCCToFunctionPassAdaptor(NoteLines(lines))); // behind the inlining
    });
    builder.registerPeepholeEPCallback(note);
    builder.registerVectorizerStartEPCallback(note);
    builder.registerPipelineEarlySimplificationEPCallback([lines](ModulePassManager &manager, auto &&...) {
        manager.addPass(createModuleToFunctionPassAdaptor(NoteLines(lines)));
    });
    builder.registerOptimizerLastEPCallback(
        [b, lines](ModulePassManager &manager, OptimizationLevel level, auto &&...) {
            manager.addPass(Instrument{{}, {b, level.getSpeedupLevel(), lines}});
        });
    // lld generates code at 2 or 3, whatever level its passes have (getCGOptLevel in lld/Common/Args.cpp).
    builder.registerFullLinkTimeOptimizationLastEPCallback(
        [b, lines](ModulePassManager &manager, OptimizationLevel level, auto &&...) {
            manager.addPass(Instrument{{}, {b, std::max(2u, level.getSpeedupLevel()), lines}});
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
                manager.addPass(Instrument{{}, {b, 2, nullptr}, pass.work});
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
