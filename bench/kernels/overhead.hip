// Programs whose overhead bench/overhead prints, one by argv[1]: accesses as everyday kernels have them. Inputs are
// small integers, so that sums are exact in any order; the exit code is 0 when the results are right.
#include "../../hip-examples/common/example.h"

#include <cstring>

constexpr int T = 32;

/* Tiles of T x T in LDS; neighbouring lanes read neighbouring columns. */
__global__ void gemm(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[T][T], bs[T][T];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += T) {
        as[ty][tx] = a[row * n + k0 + tx];
        bs[ty][tx] = b[(k0 + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < T; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

__global__ void stencil(const float *in, float *out, int nx, int ny)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
        out[y * nx + x] = in[y * nx + x] + in[y * nx + x - 1] + in[y * nx + x + 1] + in[(y - 1) * nx + x] +
                          in[(y + 1) * nx + x];
}

__global__ void nbody(const float4 *body, float4 *force, int n)
{
    __shared__ float4 tile[256];
    const float4 me = body[blockIdx.x * 256 + threadIdx.x];
    float4 sum = {0, 0, 0, 0};
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 256; i++) {
            const float4 it = tile[i];
            const float dx = it.x - me.x, dy = it.y - me.y, dz = it.z - me.z;
            const float r = dx * dx + dy * dy + dz * dz + 1.0f, w = it.w / (r * sqrtf(r));
            sum.x += dx * w;
            sum.y += dy * w;
            sum.z += dz * w;
        }
        __syncthreads();
    }
    force[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void reduction(const int *in, int *out, int n)
{
    __shared__ int part[256];
    int sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        sum += in[i];
    part[threadIdx.x] = sum;
    for (int half = 128; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

__global__ void histogram(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

/* A row of a sparse matrix per work-item. */
__global__ void spmv(const int *start, const int *column, const int *value, const int *x, int *y, int rows)
{
    const int row = blockIdx.x * 256 + threadIdx.x;
    if (row >= rows)
        return;
    int sum = 0;
    for (int i = start[row]; i < start[row + 1]; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}

static unsigned next_random()
{
    static unsigned seed = 12345;
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static int run_gemm(int, int)
{
    const int n = 256;
    std::vector<float> a(n * n), b(n * n), expected(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i % 7 - 3);
        b[i] = (float)(i % 5 - 2);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                expected[i * n + j] += a[i * n + k] * b[k * n + j];
    DeviceArray<float> da(a), db(b), dc(n * n);
    gemm<<<dim3(n / T, n / T), dim3(T, T)>>>(da.get(), db.get(), dc.get(), n);
    finish_launch();
    return verdict("gemm", dc.read(), expected);
}

static int run_stencil(int width, int height)
{
    const int n = 512;
    std::vector<float> in(n * n), expected(n * n, 0.0f);
    for (int i = 0; i < n * n; i++)
        in[i] = (float)(i % 11);
    for (int i = n + 1; i < n * (n - 1) - 1; i++)
        if (i % n && i % n != n - 1)
            expected[i] = in[i] + in[i - 1] + in[i + 1] + in[i - n] + in[i + n];
    DeviceArray<float> din(in), dout(n * n);
    dout.clear();
    stencil<<<dim3(n / width, n / height), dim3(width, height)>>>(din.get(), dout.get(), n, n);
    finish_launch();
    return verdict("stencil", dout.read(), expected);
}

/* Bodies in one plane feel no force out of it. */
static int run_nbody(int, int)
{
    const int n = 2048;
    std::vector<float4> body(n);
    for (int i = 0; i < n; i++)
        body[i] = {(float)(next_random() % 64), (float)(next_random() % 64), 3.0f, 1.0f};
    DeviceArray<float4> dbody(body), dforce(n);
    nbody<<<n / 256, 256>>>(dbody.get(), dforce.get(), n);
    finish_launch();
    std::vector<float> out_of_plane, zero(n, 0.0f);
    for (const float4 &f : dforce.read())
        out_of_plane.push_back(f.z);
    return verdict("nbody", out_of_plane, zero);
}

static int run_reduction(int, int)
{
    const int n = 8 << 20, groups = 256;
    std::vector<int> in(n), expected(groups, 0);
    for (int i = 0; i < n; i++) {
        in[i] = i % 1000 - 300;
        expected[i / 256 % groups] += in[i];
    }
    DeviceArray<int> din(in), dout(groups);
    reduction<<<groups, 256>>>(din.get(), dout.get(), n);
    finish_launch();
    return verdict("reduction", dout.read(), expected);
}

static int run_histogram(int, int)
{
    const int n = 2 << 20;
    std::vector<unsigned char> in(n);
    std::vector<unsigned> expected(256, 0);
    for (int i = 0; i < n; i++)
        expected[in[i] = (unsigned char)next_random()]++;
    DeviceArray<unsigned char> din(in);
    DeviceArray<unsigned> dbins(256);
    dbins.clear();
    histogram<<<256, 256>>>(din.get(), dbins.get(), n);
    finish_launch();
    return verdict("histogram", dbins.read(), expected);
}

static int run_spmv(int, int)
{
    const int rows = 16384;
    std::vector<int> start(1, 0), column, value, x(rows), expected(rows, 0);
    for (int i = 0; i < rows; i++)
        x[i] = i % 13 - 6;
    for (int row = 0; row < rows; row++) {
        for (unsigned n = 1 + next_random() % 32; n; n--) {
            column.push_back((int)(next_random() % rows));
            value.push_back((int)(next_random() % 9) - 4);
            expected[row] += value.back() * x[column.back()];
        }
        start.push_back((int)column.size());
    }
    DeviceArray<int> dstart(start), dcolumn(column), dvalue(value), dx(x), dy(rows);
    spmv<<<rows / 256, 256>>>(dstart.get(), dcolumn.get(), dvalue.get(), dx.get(), dy.get(), rows);
    finish_launch();
    return verdict("spmv", dy.read(), expected);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int, int);
        int width, height;
    } programs[] = {{"gemm", run_gemm, 0, 0},           {"stencil-32x8", run_stencil, 32, 8},
                    {"stencil-64x4", run_stencil, 64, 4}, {"nbody", run_nbody, 0, 0},
                    {"reduction", run_reduction, 0, 0},   {"histogram", run_histogram, 0, 0},
                    {"spmv", run_spmv, 0, 0}};
    for (const auto &p : programs)
        if (argc == 2 && !std::strcmp(argv[1], p.name))
            return p.run(p.width, p.height);
    std::fprintf(stderr, "usage: %s PROGRAM\n", argv[0]);
    return 2;
}
