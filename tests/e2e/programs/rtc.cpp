// Compiles kernels while it runs, by hiprtc: rtc MODE CODE_OBJECT [GPU]. What is compiled goes to that file, too.
//   plain    a transpose with conflicts, run and verified
//   unnamed  the same, of a program without name
//   mark     the same, of a text that begins with UTF-8's byte order mark
//   names    a template, a header from memory, options; from HIP 6 on also taken as bitcode and linked
//   warning  a compile that warns; its log is printed
//   error    a compile that fails; its log is printed
//   threads  four threads that compile two kernels each
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

static void check(int status, const char *what)
{
    if (!status)
        return;
    std::printf("%s: %d\n", what, status);
    std::exit(2);
}
#define CHECK(call) check(call, #call)

static const char transpose[] = R"(
extern "C" __global__ void transpose(const float *in, float *out)
{
    __shared__ float tile[32][32];
    unsigned x = threadIdx.x & 31, y = threadIdx.x / 32;
    tile[y][x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[x][y]; // CONFLICTS
}
)";

static const char scaled[] = R"(#include "factor.h"
template <typename T, int N> __global__ void scaled(const T *in, T *out)
{
    out[threadIdx.x] = times<T>(in[threadIdx.x * N / N]) + BIAS; // SCALED
}
)";
static const char factor[] = "template <typename T> __device__ T times(T v)\n{\n    return v * 3;\n}\n";

struct Compiled {
    hiprtcResult status;
    std::string log, lowered;
    std::vector<char> code;
};

static std::vector<char> taken(hiprtcProgram p, bool bitcode)
{
    size_t n = 0;
    std::vector<char> code;
#if HIP_VERSION >= 60000000
    if (bitcode) {
        CHECK(hiprtcGetBitcodeSize(p, &n));
        code.resize(n);
        CHECK(hiprtcGetBitcode(p, code.data()));
        return code;
    }
#endif
    (void)bitcode;
    CHECK(hiprtcGetCodeSize(p, &n));
    code.resize(n);
    CHECK(hiprtcGetCode(p, code.data()));
    return code;
}

static Compiled compile(const char *source, const char *name, std::vector<const char *> options,
                        const char *expression = nullptr)
{
    Compiled c;
    hiprtcProgram p;
    size_t n = 0;
    const char *header = factor, *header_name = "factor.h";
    CHECK(hiprtcCreateProgram(&p, source, name, expression != nullptr, &header, &header_name));
    if (expression)
        CHECK(hiprtcAddNameExpression(p, expression));
    c.status = hiprtcCompileProgram(p, (int)options.size(), options.data());
    CHECK(hiprtcGetProgramLogSize(p, &n));
    c.log.resize(n);
    if (n)
        CHECK(hiprtcGetProgramLog(p, &c.log[0]));
    if (c.status == HIPRTC_SUCCESS) {
        const char *lowered = nullptr;
        if (expression) {
            CHECK(hiprtcGetLoweredName(p, expression, &lowered));
            c.lowered = lowered;
        }
        c.code = taken(p, std::string("-fgpu-rdc") == options.back());
    }
    CHECK(hiprtcDestroyProgram(&p));
    return c;
}

#if HIP_VERSION >= 60000000
static std::vector<char> link(std::vector<char> &bitcode)
{
    hiprtcLinkState state;
    void *code;
    size_t n;
    CHECK(hiprtcLinkCreate(0, nullptr, nullptr, &state));
    CHECK(hiprtcLinkAddData(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, bitcode.data(), bitcode.size(), "scaled", 0,
                            nullptr, nullptr));
    CHECK(hiprtcLinkComplete(state, &code, &n));
    std::vector<char> copy((char *)code, (char *)code + n);
    CHECK(hiprtcLinkDestroy(state));
    return copy;
}
#endif

static void save(const char *path, const std::vector<char> &code)
{
    FILE *f = std::fopen(path, "wb");
    check(!f || std::fwrite(code.data(), 1, code.size(), f) != code.size() || std::fclose(f), path);
}

// One work-group of 1024, three times: tests observe the second and log the third. Returns how many results
// are not what `want` says.
template <class F> static int run(const std::vector<char> &code, const char *kernel, F want)
{
    hipModule_t module;
    hipFunction_t function;
    float *in, *out;
    std::vector<float> a(1024), b(1024);
    for (int i = 0; i < 1024; i++)
        a[i] = (float)i;
    CHECK(hipModuleLoadData(&module, code.data()));
    CHECK(hipModuleGetFunction(&function, module, kernel));
    CHECK(hipMalloc((void **)&in, 4096));
    CHECK(hipMalloc((void **)&out, 4096));
    CHECK(hipMemcpy(in, a.data(), 4096, hipMemcpyHostToDevice));
    void *arguments[] = {&in, &out};
    for (int i = 0; i < 3; i++)
        CHECK(hipModuleLaunchKernel(function, 1, 1, 1, 1024, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(hipMemcpy(b.data(), out, 4096, hipMemcpyDeviceToHost));
    CHECK(hipFree(in));
    CHECK(hipFree(out));
    CHECK(hipModuleUnload(module));
    int wrong = 0;
    for (int i = 0; i < 1024; i++)
        wrong += b[i] != want(i);
    return wrong;
}

static std::vector<const char *> plain_options = {"--offload-arch=gfx90a", "-O3"};

static int run_transpose(const std::vector<char> &code)
{
    return run(code, "transpose", [](int i) { return (float)(i % 32 * 32 + i / 32); });
}

static int names(const char *path)
{
    auto options = plain_options;
    options.push_back("-DBIAS=5");
    options.push_back("-I.");
    Compiled c = compile(scaled, "scaled.hip", options, "scaled<float, 2>");
    check(c.status, c.log.c_str());
    save(path, c.code);
    auto want = [](int i) { return 3.f * i + 5; };
    int wrong = run(c.code, c.lowered.c_str(), want);
#if HIP_VERSION >= 60000000 // before, hiprtc neither gives bitcode nor links it
    options.push_back("-fgpu-rdc");
    Compiled bitcode = compile(scaled, "scaled.hip", options, "scaled<float, 4>");
    check(bitcode.status, bitcode.log.c_str());
    wrong += run(link(bitcode.code), bitcode.lowered.c_str(), want);
#endif
    std::printf("names: %s\n", wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}

static int messages(const char *path, bool good)
{
    std::string text = transpose;
    text += good ? "__device__ int unused() { int never; return never; }\n"
                 : "__global__ void broken() { nonsense; }\n";
    auto options = plain_options;
    options.push_back("-Wall");
    Compiled c = compile(text.c_str(), "folder/messages.hip", options);
    std::printf("status %d\n%s\n", (int)c.status, c.log.c_str());
    if (good) {
        save(path, c.code);
        std::printf("%s\n", run_transpose(c.code) ? "FAILED" : "PASSED");
    }
    return 0;
}

static int threads()
{
    std::vector<std::thread> all;
    std::vector<Compiled> done(8);
    for (int t = 0; t < 4; t++)
        all.emplace_back([t, &done] {
            for (int i = t * 2; i < t * 2 + 2; i++) {
                std::string text = transpose, name = "kernel" + std::to_string(i) + ".hip";
                text += "// " + name + "\n";
                done[i] = compile(text.c_str(), name.c_str(), plain_options);
            }
        });
    for (auto &t : all)
        t.join();
    int wrong = 0;
    for (auto &c : done)
        wrong += c.status || run_transpose(c.code);
    std::printf("threads: %s\n", wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}

int main(int argc, char **argv)
{
    std::string mode = argc >= 3 ? argv[1] : "",
                target = std::string("--offload-arch=") + (argc > 3 ? argv[3] : "gfx90a");
    plain_options[0] = target.c_str();
    int devices;
    CHECK(hipGetDeviceCount(&devices));
    if (mode == "names")
        return names(argv[2]);
    if (mode == "warning" || mode == "error")
        return messages(argv[2], mode == "warning");
    if (mode == "threads")
        return threads();
    if (mode != "plain" && mode != "mark" && mode != "unnamed")
        return 2;
    const std::string text = std::string(mode == "mark" ? "\xef\xbb\xbf" : "") + transpose;
    Compiled c = compile(text.c_str(), mode == "unnamed" ? nullptr : "transpose.hip", plain_options);
    check(c.status, c.log.c_str());
    save(argv[2], c.code);
    int wrong = run_transpose(c.code);
    std::printf("%s: %s\n", mode.c_str(), wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
