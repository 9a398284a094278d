"""HIP as far as a small program needs it, for sources without its headers, which take longer to compile than all else: with -nogpuinc."""

DECLARATIONS = """struct dim3 { unsigned x, y, z; dim3(unsigned x, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {} };
typedef struct ihipStream_t *hipStream_t;
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, hipStream_t);
extern "C" int __hipPushCallConfiguration(dim3, dim3, unsigned long = 0, hipStream_t = nullptr);
extern "C" int __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, hipStream_t *);
extern "C" int hipMalloc(void **, unsigned long);
extern "C" int hipMemcpy(void *, const void *, unsigned long, int);
"""
KERNEL = DECLARATIONS + """__attribute__((global)) void k(int *p) { p[__builtin_amdgcn_workitem_id_x()] = 1; }
int main() { k<<<1, 64>>>(nullptr); }
"""


def of(program):
    """The same program, of which threadIdx, __global__ and the calls above are all it takes from the headers."""
    for word, own in (("#include <hip/hip_runtime.h>", DECLARATIONS), ("__global__", "__attribute__((global))"),
                      ("threadIdx.x", "__builtin_amdgcn_workitem_id_x()"), ("hipMemcpyDeviceToHost", "2")):
        program = program.replace(word, own)
    return program
