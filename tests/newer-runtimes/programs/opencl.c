/* A tile transposed through LDS by OpenCL, whose kernels are compiled while the program runs. Prints PASSED when the
 * results are right; a compiler's message is printed as it is. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>

static const char text[] = "__attribute__((reqd_work_group_size(32, 32, 1)))\n"
                           "__kernel void transpose(__global const float *in, __global float *out) {\n"
                           "    __local float tile[1024];\n"
                           "    int x = get_local_id(0), y = get_local_id(1);\n"
                           "    tile[y * 32 + x] = in[y * 32 + x];\n"
                           "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                           "    out[y * 32 + x] = tile[x * 32 + y]; // MEASURED\n"
                           "}\n";

#define MUST(call)                                                                                           \
    do {                                                                                                     \
        cl_int status = (call);                                                                              \
        if (status) {                                                                                        \
            fprintf(stderr, "%s: %d\n", #call, status);                                                      \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

static float in[1024], out[1024];

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    const char *source = text;
    size_t size[2] = {32, 32};
    MUST(clGetPlatformIDs(1, &platform, NULL));
    MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    MUST(error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    MUST(error);
    for (int i = 0; i < 1024; i++)
        in[i] = (float)i;
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof in, in, &error);
    MUST(error);
    cl_mem b = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, &error);
    MUST(error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    MUST(error);
    MUST(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "transpose", &error);
    MUST(error);
    MUST(clSetKernelArg(kernel, 0, sizeof a, &a));
    MUST(clSetKernelArg(kernel, 1, sizeof b, &b));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, size, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 1024; i++)
        if (out[i] != in[i % 32 * 32 + i / 32])
            return 1;
    puts("PASSED");
    return 0;
}
