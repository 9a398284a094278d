// Sparse matrix times vector: CSR by rows and by groups of lanes, ELL, COO, diagonals, blocks.
#include "kinds.h"

struct Csr {
    std::vector<int> start{0}, column, value;
    int rows;
};

// Rows of 1 to `most` elements anywhere.
static Csr random_csr(int rows, int most)
{
    Csr m;
    m.rows = rows;
    for (int r = 0; r < rows; r++) {
        for (unsigned n = 1 + rnd() % most; n; n--) {
            m.column.push_back(rnd() % rows);
            m.value.push_back((int)(rnd() % 9) - 4);
        }
        m.start.push_back(m.column.size());
    }
    return m;
}

// Of a grid of w x w points, each with its neighbours.
static Csr poisson(int w)
{
    Csr m;
    m.rows = w * w;
    for (int y = 0; y < w; y++)
        for (int x = 0; x < w; x++) {
            auto put = [&](int a, int b, int v) {
                if (a >= 0 && a < w && b >= 0 && b < w) {
                    m.column.push_back(b * w + a);
                    m.value.push_back(v);
                }
            };
            put(x, y - 1, -1);
            put(x - 1, y, -1);
            put(x, y, 4);
            put(x + 1, y, -1);
            put(x, y + 1, -1);
            m.start.push_back(m.column.size());
        }
    return m;
}

// Rows of equal length.
static Csr fixed_csr(int rows, int per)
{
    Csr m;
    m.rows = rows;
    for (int r = 0; r < rows; r++) {
        for (int n = 0; n < per; n++) {
            m.column.push_back((r * 7 + n * 131) % rows);
            m.value.push_back(n % 9 - 4);
        }
        m.start.push_back(m.column.size());
    }
    return m;
}

// CSR, a row a work-item.
template <typename T>
__global__ void scalar(const int *start, const int *column, const T *value, const T *x, T *y, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    T s = 0;
    for (int i = start[r]; i < start[r + 1]; i++)
        s += value[i] * x[column[i]];
    y[r] = s;
}

// CSR, L lanes a row.
template <int L>
__global__ void vector(const int *start, const int *column, const float *value, const float *x, float *y,
                       int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / L, l = threadIdx.x % L;
    if (r >= rows)
        return;
    float s = 0;
    for (int i = start[r] + l; i < start[r + 1]; i += L)
        s += value[i] * x[column[i]];
    for (int d = L / 2; d; d /= 2)
        s += __shfl_down(s, d, L);
    if (!l)
        y[r] = s;
}

// A matrix and its vectors on the GPU.
template <typename T> struct Dev {
    Buf<int> s, c;
    Buf<T> v, x, y;
    int rows;
    static std::vector<T> as(const std::vector<int> &i)
    {
        return std::vector<T>(i.begin(), i.end());
    }
    Dev(const Csr &m)
        : s(m.start), c(m.column), v(as(m.value)), x(ints<T>(m.rows, 13, 6)), y(m.rows), rows(m.rows)
    {
    }
};

template <typename T> void run_scalar(const Csr &m)
{
    Dev<T> d(m);
    scalar<T><<<(d.rows + 255) / 256, 256>>>(d.s, d.c, d.v, d.x, d.y, d.rows);
    d.y.print("y");
}

template <int L> void run_vector(const Csr &m)
{
    Dev<float> d(m);
    vector<L><<<(d.rows * L + 255) / 256, 256>>>(d.s, d.c, d.v, d.x, d.y, d.rows);
    d.y.print("y");
}

TEST(spmv_scalar_int)
{
    run_scalar<int>(random_csr(16384, 32));
}

TEST(spmv_scalar_float)
{
    run_scalar<float>(random_csr(16384, 32));
}

TEST(spmv_scalar_double)
{
    run_scalar<double>(random_csr(16384, 32));
}

TEST(spmv_scalar_poisson)
{
    run_scalar<float>(poisson(128));
}

TEST(spmv_scalar_fixed)
{
    run_scalar<float>(fixed_csr(16384, 16));
}

TEST(spmv_scalar_long)
{
    run_scalar<float>(random_csr(4096, 200));
}

TEST(spmv_vector64)
{
    run_vector<64>(random_csr(8192, 200));
}

TEST(spmv_vector32)
{
    run_vector<32>(random_csr(8192, 100));
}

TEST(spmv_vector8)
{
    run_vector<8>(random_csr(16384, 32));
}

TEST(spmv_vector4_poisson)
{
    run_vector<4>(poisson(128));
}

// ELL with free places, whose column is -1.
__global__ void ell(const int *c, const float *v, const float *x, float *y, int rows, int per)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float s = 0;
    for (int k = 0; k < per; k++) {
        int at = k * rows + r, j = c[at];
        if (j >= 0)
            s += v[at] * x[j];
    }
    y[r] = s;
}

// ELL with all places used.
__global__ void ell_plain(const int *c, const float *v, const float *x, float *y, int rows, int per)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float s = 0;
    for (int k = 0; k < per; k++)
        s += v[k * rows + r] * x[c[k * rows + r]];
    y[r] = s;
}

TEST(spmv_ell)
{
    int rows = 16384, per = 24;
    std::vector<int> c(rows * per);
    for (auto &j : c)
        j = rnd() % 4 ? (int)(rnd() % rows) : -1;
    Buf<int> dc(c);
    Buf<float> v(ints<float>(rows * per, 9, 4)), x(ints<float>(rows, 13, 6)), y(rows);
    ell<<<rows / 256, 256>>>(dc, v, x, y, rows, per);
    y.print("y");
}

TEST(spmv_ell_plain)
{
    int rows = 16384, per = 24;
    Buf<int> dc(randoms<int>(rows * per, rows));
    Buf<float> v(ints<float>(rows * per, 9, 4)), x(ints<float>(rows, 13, 6)), y(rows);
    ell_plain<<<rows / 256, 256>>>(dc, v, x, y, rows, per);
    y.print("y");
}

TEST(spmv_ell_banded)
{
    int rows = 16384, per = 24;
    std::vector<int> c(rows * per);
    for (int k = 0; k < per; k++)
        for (int r = 0; r < rows; r++)
            c[k * rows + r] = (r + k) % rows;
    Buf<int> dc(c);
    Buf<float> v(ints<float>(rows * per, 9, 4)), x(ints<float>(rows, 13, 6)), y(rows);
    ell_plain<<<rows / 256, 256>>>(dc, v, x, y, rows, per);
    y.print("y");
}

// An element a work-item.
__global__ void coo(const int *r, const int *c, const float *v, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&y[r[i]], v[i] * x[c[i]]);
}

TEST(spmv_coo)
{
    Csr m = random_csr(16384, 16);
    std::vector<int> r;
    for (int i = 0; i < m.rows; i++)
        for (int k = m.start[i]; k < m.start[i + 1]; k++)
            r.push_back(i);
    Dev<float> d(m);
    Buf<int> dr(r);
    int n = r.size();
    coo<<<(n + 255) / 256, 256>>>(dr, d.c, d.v, d.x, d.y, n);
    d.y.print("y");
}

// Diagonals, each at a distance from the main one.
__global__ void dia(const int *off, const float *v, const float *x, float *y, int rows, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k++) {
        int c = r + off[k];
        if (c >= 0 && c < rows)
            s += v[k * rows + r] * x[c];
    }
    y[r] = s;
}

TEST(spmv_dia)
{
    int rows = 65536;
    std::vector<int> o{-256, -1, 0, 1, 256};
    Buf<int> off(o);
    Buf<float> v(ints<float>(rows * 5, 9, 4)), x(ints<float>(rows, 13, 6)), y(rows);
    dia<<<rows / 256, 256>>>(off, v, x, y, rows, 5);
    y.print("y");
}

// Blocks of 4 x 4, four lanes a row of them.
__global__ void bsr4(const int *start, const int *column, const float *value, const float *x, float *y,
                     int rows)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, br = t / 4, l = t % 4;
    if (br >= rows)
        return;
    float s = 0;
    for (int i = start[br]; i < start[br + 1]; i++)
        for (int k = 0; k < 4; k++)
            s += value[i * 16 + l * 4 + k] * x[column[i] * 4 + k];
    y[t] = s;
}

TEST(spmv_bsr4)
{
    Csr m = random_csr(4096, 16);
    Buf<int> s(m.start), c(m.column);
    Buf<float> v(ints<float>(m.column.size() * 16, 9, 4)), x(ints<float>(m.rows * 4, 13, 6)), y(m.rows * 4);
    bsr4<<<m.rows * 4 / 256, 256>>>(s, c, v, x, y, m.rows);
    y.print("y");
}
